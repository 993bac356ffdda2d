// SPDX-License-Identifier: Apache-2.0
#include "heed/attention/written/learnt.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "heed/attention/attention.h"

namespace heed::attention {
namespace {

// The numbers of a mechanism with these parameters, which it really has.
std::vector<LearntNumbers> numbers_of(const std::string& text,
                                      const std::map<std::string, std::vector<double>>& given) {
  Random random(1);
  const auto look = make_attention(
      text, {.query_width = 2, .key_width = 2, .value_width = 2, .heads = 3, .key_heads = 3},
      random);
  const nn::Parameters parameters = nn::parameters(*look);
  for (const auto& one : given) {
    const auto named = [&](const nn::Parameter& parameter) { return parameter.name == one.first; };
    EXPECT_TRUE(std::ranges::any_of(parameters, named)) << one.first;
  }
  return learnt_numbers(text, [&](const std::string& path) {
    const auto found = given.find(path);
    return found == given.end() ? std::vector<double>() : found->second;
  });
}

TEST(LearntNumbers, AreTheAlphaOfEachHead) {
  const auto found = numbers_of("scaled_dot | full | entmax(learnable=true, highest=3)",
                                {{"normaliser", {0, 40, -40}}});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].name, "alpha");
  EXPECT_EQ(found[0].heads, (std::vector<double>{2, 3, 1}));
}

TEST(LearntNumbers, AreTheReachOfEachHead) {
  const auto found =
      numbers_of("adaptive_span(longest=100, ramp=8) | causal", {{"a", {0, 40, -40}}});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].name, "reach");
  // R + z S, where it sees nothing any more.
  EXPECT_NEAR(found[0].heads[0], 58, 1e-9);
  EXPECT_NEAR(found[0].heads[1], 108, 1e-9);
  EXPECT_NEAR(found[0].heads[2], 8, 1e-9);
}

TEST(LearntNumbers, KnowWhichHeadsHaveThem) {
  const auto found = numbers_of("1x(dot); 2x(dot | full | entmax(learnable=true))",
                                {{"heads_2.normaliser", {0, 0}}});
  ASSERT_EQ(found.size(), 1U);
  ASSERT_EQ(found[0].heads.size(), 3U);
  EXPECT_TRUE(std::isnan(found[0].heads[0]));
  EXPECT_EQ(found[0].heads[2], 1.5);
}

TEST(LearntNumbers, AreNoneWhereNothingOfTheKindIsLearnt) {
  EXPECT_TRUE(numbers_of("scaled_dot | full | entmax(alpha=1.3)", {}).empty());
  EXPECT_TRUE(numbers_of("adaptive_span(of=token) | causal", {{"a", {0, 0, 0}}}).empty());
  EXPECT_TRUE(numbers_of("additive", {}).empty());
}

}  // namespace
}  // namespace heed::attention
