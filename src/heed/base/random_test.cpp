// SPDX-License-Identifier: Apache-2.0
// Tests of the counter generator: published words, streams, distributions and thread independence.
#include "heed/base/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "heed/base/threads.h"

namespace heed {
namespace {

// kat_vectors of Random123, the authors' own library.
TEST(Philox, GivesThePublishedWords) {
  EXPECT_EQ(philox4x32({0, 0, 0, 0}, {0, 0}),
            (PhiloxBlock{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  constexpr std::uint32_t kOnes = 0xffffffff;
  EXPECT_EQ(philox4x32({kOnes, kOnes, kOnes, kOnes}, {kOnes, kOnes}),
            (PhiloxBlock{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (PhiloxBlock{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Philox, SplitsSeedStreamAndBlockIntoLowAndHighWords) {
  EXPECT_EQ(philox(0x299f31d0a4093822, 0x0370734413198a2e, 0x85a308d3243f6a88),
            (PhiloxBlock{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Random, GivesWordIAsLaneIModFourOfBlockIDivFour) {
  Random random(7, 3);
  for (std::uint64_t i = 0; i < 41; ++i) {
    EXPECT_EQ(random.next_u32(), philox(7, 3, i / 4)[i % 4]) << "word " << i;
  }
}

TEST(Random, GoesOnFromAnySavedPosition) {
  for (std::uint64_t position = 0; position < 12; ++position) {
    Random first(42);
    for (std::uint64_t i = 0; i < position; ++i) first.next_u32();
    ASSERT_EQ(first.position(), position);
    Random second(42);
    second.seek(position);
    for (int i = 0; i < 9; ++i) EXPECT_EQ(first.next_u32(), second.next_u32());
  }
}

TEST(Random, DrawsDifferentWordsFromDifferentSeedsAndStreams) {
  const std::uint32_t word = Random(1, 1).next_u32();
  EXPECT_NE(word, Random(2, 1).next_u32());
  EXPECT_NE(word, Random(1, 2).next_u32());
}

TEST(Random, KeepsUniformNumbersBelowOneForEveryExtremeWord) {
  EXPECT_EQ(uniform_float(0), 0.0f);
  EXPECT_EQ(uniform_float(0xffffffff), 1.0f - 0x1p-24f);
  EXPECT_EQ(uniform_double(~std::uint64_t{0}), 1.0 - 0x1p-53);
}

TEST(Random, GivesIntegersOfEqualFrequency) {
  Random random(5);
  std::vector<int> counts(6);
  for (int i = 0; i < 60000; ++i) ++counts[random.integer(6)];
  // Deviation of a count is sqrt(60000 / 6 * 5 / 6) = 91; five of them are allowed.
  for (const int count : counts) EXPECT_NEAR(count, 10000, 456);
}

TEST(Random, GivesLargeIntegersWithoutFavouringTheLowHalf) {
  // Without rejection, a bound of 3/4 of 2^64 would draw the lowest third twice as often.
  const std::uint64_t bound = std::uint64_t{3} << 62;
  Random random(6);
  int low = 0;
  for (int i = 0; i < 30000; ++i) {
    const std::uint64_t value = random.integer(bound);
    ASSERT_LT(value, bound);
    low += value < (std::uint64_t{1} << 62);
  }
  EXPECT_NEAR(low, 10000, 409);  // five deviations of 82
}

TEST(Random, RefusesAnEmptyRangeOfIntegers) {
  Random random(1);
  EXPECT_THROW(random.integer(0), UsageError);
  EXPECT_EQ(random.integer(1), 0u);
}

TEST(Random, ShufflesIntoEveryOrderEquallyOften) {
  Random random(8);
  std::vector<int> counts(6);
  for (int i = 0; i < 60000; ++i) {
    std::vector<int> items = {0, 1, 2};
    random.shuffle(items);
    int place = 0;
    std::vector<int> order = {0, 1, 2};
    while (order != items) {
      std::next_permutation(order.begin(), order.end());
      ++place;
    }
    ++counts[place];
  }
  for (const int count : counts) EXPECT_NEAR(count, 10000, 456);
}

struct Moments {
  double mean = 0;
  double variance = 0;
  double fourth = 0;  // standardised: 3 for a normal distribution
};

template <typename T>
Moments moments(const std::vector<T>& values) {
  Moments m;
  const auto n = static_cast<double>(values.size());
  for (const T value : values) m.mean += value / n;
  for (const T value : values) m.variance += (value - m.mean) * (value - m.mean) / n;
  for (const T value : values) m.fourth += std::pow(value - m.mean, 4) / n;
  m.fourth /= m.variance * m.variance;
  return m;
}

TEST(Random, GivesNormalNumbersOneByOne) {
  Random random(9);
  std::vector<double> values(200000);
  for (double& value : values) value = random.normal();
  const Moments m = moments(values);
  EXPECT_NEAR(m.mean, 0, 0.012);
  EXPECT_NEAR(m.variance, 1, 0.016);
  EXPECT_NEAR(m.fourth, 3, 0.06);
}

template <typename T>
class RandomFill : public testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(RandomFill, Reals);

TYPED_TEST(RandomFill, HasTheMomentsOfItsDistribution) {
  std::vector<TypeParam> values(400001);
  Random random(10);
  fill_normal(values, random, 2, 3);
  Moments m = moments(values);
  EXPECT_NEAR(m.mean, 2, 0.03);
  EXPECT_NEAR(m.variance, 9, 0.12);
  EXPECT_NEAR(m.fourth, 3, 0.05);
  // Both numbers of each Box-Muller pair are there and unrelated.
  double product = 0;
  for (std::size_t i = 0; i + 1 < values.size(); i += 2) {
    product += (values[i] - 2.0) / 3 * (values[i + 1] - 2.0) / 3;
  }
  EXPECT_NEAR(product / 200000, 0, 0.012);
  fill_uniform(values, random, -1, 5);
  m = moments(values);
  EXPECT_NEAR(m.mean, 2, 0.015);
  EXPECT_NEAR(m.variance, 3, 0.02);  // (5 - -1)^2 / 12
  EXPECT_NEAR(m.fourth, 1.8, 0.02);
}

TYPED_TEST(RandomFill, GivesTheSameNumbersWhateverTheThreadCount) {
  std::vector<TypeParam> one(100003);
  std::vector<TypeParam> three(100003);
  for (const bool normal : {false, true}) {
    Random first(11, 4);
    Random second(11, 4);
    {
      const ThreadScope scope(1);
      normal ? fill_normal(one, first) : fill_uniform(one, first);
    }
    {
      const ThreadScope scope(3);
      normal ? fill_normal(three, second) : fill_uniform(three, second);
    }
    EXPECT_EQ(one, three);
    EXPECT_EQ(first.position(), second.position());
  }
}

TYPED_TEST(RandomFill, GivesValuesThatDoNotDependOnHowManyFollow) {
  std::vector<TypeParam> all(37);
  Random random(12);
  fill_normal(all, random);
  for (std::size_t size = 0; size < all.size(); ++size) {
    std::vector<TypeParam> some(size);
    Random again(12);
    fill_normal(some, again);
    EXPECT_TRUE(std::equal(some.begin(), some.end(), all.begin())) << size << " values";
    EXPECT_EQ(again.position() % 4, 0u);
  }
}

TYPED_TEST(RandomFill, StartsAtTheNextWholeBlockAndLeavesItBehind) {
  Random random(13);
  random.next_u32();
  std::vector<TypeParam> values(1);
  fill_uniform(values, random);
  Random reference(13);
  reference.seek(4);
  EXPECT_EQ(values[0], reference.template uniform<TypeParam>());
  EXPECT_EQ(random.position(), 8u);
}

TYPED_TEST(RandomFill, StaysBelowTheUpperEndEvenWhenRoundingWouldReachIt) {
  // From 2^24 on, floats are 2 apart: low + range * u rounds to high for every u above a half.
  const TypeParam low = std::is_same_v<TypeParam, float> ? TypeParam(0x1p24) : TypeParam(0x1p53);
  std::vector<TypeParam> values(1000);
  Random random(14);
  fill_uniform(values, random, low, low + 2);
  for (const TypeParam value : values) EXPECT_EQ(value, low);
}

TYPED_TEST(RandomFill, RefusesEmptyRangesAndNegativeDeviations) {
  std::vector<TypeParam> values(3);
  Random random(15);
  EXPECT_THROW(fill_uniform(values, random, 1, 1), UsageError);
  EXPECT_THROW(fill_uniform(values, random, 0, NAN), UsageError);
  EXPECT_THROW(fill_normal(values, random, 0, -1), UsageError);
}

}  // namespace
}  // namespace heed
