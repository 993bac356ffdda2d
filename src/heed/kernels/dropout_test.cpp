// SPDX-License-Identifier: Apache-2.0
// Dropout against the scalar Philox of base/, word for word.
#include "heed/kernels/dropout.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "heed/base/random.h"
#include "heed/base/threads.h"
#include "heed/kernels/testing.h"

namespace heed::kernels {
namespace {

bool is_kept(const DropoutOptions& options, std::uint64_t position) {
  const std::uint64_t element = options.first + position;
  const PhiloxBlock words = philox(options.seed, options.stream, element / 4);
  return words[element % 4] >= options.probability * 4294967296.0;
}

template <typename T>
void expect_mask(std::size_t n, std::size_t offset, const DropoutOptions& options) {
  GuardedBuffer<T> x(n, offset), y(n, offset);
  for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<T>(i + 1);
  dropout(x.data(), y.data(), n, options);
  const T scale = static_cast<T>(1 / (1 - options.probability));
  for (std::size_t i = 0; i < n; ++i) {
    ASSERT_EQ(y[i], is_kept(options, i) ? x[i] * scale : T{0}) << "element " << i << " of " << n;
  }
}

template <typename T>
class Dropout : public testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(Dropout, Scalars);

TYPED_TEST(Dropout, DrawsTheKnownAnswerOfPhilox) {
  // Counter 0 under key 0 gives 6627e8d5 e169c58d bc57ac4c 9b00dbd8 (Salmon 2011).
  on_every_target([] {
    const std::vector<TypeParam> x(4, 1);
    std::vector<TypeParam> y(4);
    dropout(x.data(), y.data(), 4, {.probability = 0.5});
    EXPECT_EQ(y, (std::vector<TypeParam>{0, 2, 2, 2}));
    dropout(x.data(), y.data(), 4, {.probability = 0.75});
    EXPECT_EQ(y, (std::vector<TypeParam>{0, 4, 0, 0}));
  });
}

TYPED_TEST(Dropout, EqualsTheScalarGeneratorAtEverySmallSizeAndOffset) {
  on_every_target([] {
    for (std::size_t n = 0; n <= 140; ++n) {
      ASSERT_NO_FATAL_FAILURE(expect_mask<TypeParam>(
          n, n % 4, {.probability = 0.3, .seed = 99, .stream = n, .first = n % 7}));
    }
  });
}

TYPED_TEST(Dropout, EqualsTheScalarGeneratorWhereCountersCarry) {
  const std::uint64_t block_carry = (std::uint64_t{1} << 34) - 90;
  const std::uint64_t wide = 0xFEDCBA9876543210;
  on_every_target([&] {
    ASSERT_NO_FATAL_FAILURE(expect_mask<TypeParam>(
        200, 1, {.probability = 0.5, .seed = wide, .stream = ~wide, .first = block_carry}));
  });
}

TYPED_TEST(Dropout, DrawsTheSameMaskWhateverTheThreadCount) {
  on_every_target([] {
    for (const int count : {1, 2, 3}) {
      ThreadScope scope(count);
      ASSERT_NO_FATAL_FAILURE(expect_mask<TypeParam>(
          70003, 3, {.probability = 0.1, .seed = 5, .stream = 6, .first = 7}));
    }
  });
}

TYPED_TEST(Dropout, KeepsAllAtZeroAndNoneAtOne) {
  std::vector<TypeParam> x(37, 3), y(37, 1);
  dropout(x.data(), y.data(), x.size(), {.probability = 0});
  EXPECT_EQ(y, x);
  dropout(x.data(), y.data(), x.size(), {.probability = 1});
  EXPECT_EQ(y, std::vector<TypeParam>(37, 0));
}

TYPED_TEST(Dropout, KeepsItsShareAndTheMean) {
  const std::size_t n = 1 << 20;
  std::vector<TypeParam> x(n, 1);
  dropout(x.data(), x.data(), n, {.probability = 0.2, .seed = 1});  // in place
  double sum = 0;
  for (const TypeParam value : x) sum += value;
  // Deviation of the mean: sqrt(.2 / .8 / n) = 4.9e-4.
  EXPECT_NEAR(sum / n, 1, 5 * 4.9e-4);
}

TYPED_TEST(Dropout, LetsNoNanThroughWhereDropped) {
  on_every_target([] {
    const std::vector<TypeParam> x(4, std::nan(""));
    std::vector<TypeParam> y(4);
    dropout(x.data(), y.data(), 4, {.probability = 0.5});  // keeps 1, 2 and 3
    EXPECT_EQ(y[0], 0);
    EXPECT_TRUE(std::isnan(y[1]));
  });
}

TYPED_TEST(Dropout, SharesALockedMaskOverSteps) {
  on_every_target([] {
    for (const int count : {1, 2}) {
      ThreadScope scope(count);
      for (const std::size_t inner : {1, 3, 17, 64, 2049}) {
        const LockedShape shape{.outer = 5, .steps = 9, .inner = inner};
        const DropoutOptions options{.probability = 0.4, .seed = 3, .stream = inner, .first = 2};
        const std::size_t n = shape.outer * shape.steps * inner;
        GuardedBuffer<TypeParam> x(n, 1), y(n, 2);
        for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<TypeParam>(i + 1);
        locked_dropout(x.data(), y.data(), shape, options);
        const TypeParam scale = static_cast<TypeParam>(1 / 0.6);
        for (std::size_t i = 0; i < n; ++i) {
          const std::size_t outer = i / (shape.steps * inner);
          const bool kept = is_kept(options, outer * inner + i % inner);
          ASSERT_EQ(y[i], kept ? x[i] * scale : TypeParam{0}) << "element " << i;
        }
      }
    }
  });
}

}  // namespace
}  // namespace heed::kernels
