// SPDX-License-Identifier: Apache-2.0
#include "heed/pipeline/head_gates.h"

#include <gtest/gtest.h>

#include "heed/pipeline/watched_testing.h"

namespace heed::pipeline {
namespace {

TEST(HeadGates, CostIsThatOfTheHeadsThatAreClosed) {
  const testing::OneUsefulHead data(3);
  const std::vector<HeadSite> sites = {{testing::OneUsefulHead::site(), 2}};
  const auto cost = [&](bool first, bool second) {
    insight::HeadFactors factors(factors_of(sites, {first, second}));
    return cost_of(data, data.batches(), &factors);
  };
  EXPECT_NEAR(cost(true, true).loss, 0, 1e-6);
  EXPECT_NEAR(cost(true, false).loss, 0, 1e-6);
  EXPECT_NEAR(cost(false, true).loss, 1, 1e-6);
  EXPECT_EQ(cost(false, true).right, 0);
  EXPECT_EQ(cost(true, false).right, 1);
  EXPECT_EQ(cost(true, true).units, 3);
}

TEST(HeadGates, LearnWhichHeadIsWorthNothing) {
  const testing::OneUsefulHead data(4);
  const std::vector<HeadSite> sites = {{testing::OneUsefulHead::site(), 2}};
  const std::vector<std::size_t> all = {0, 1, 2, 3};
  const auto gates = learn_gates(data, sites, all, {.penalty = .3, .steps = 80});
  ASSERT_EQ(gates.size(), 2u);
  EXPECT_TRUE(gates[0].open);
  EXPECT_GT(gates[0].chance_open, .8);
  EXPECT_FALSE(gates[1].open);
  EXPECT_LT(gates[1].score, gates[0].score);
}

}  // namespace
}  // namespace heed::pipeline
