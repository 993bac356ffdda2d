// SPDX-License-Identifier: Apache-2.0
// Budget: golden vector, the worked example, and budgets that cannot be.
#include <gtest/gtest.h>

#include "heed/attention/testing.h"

namespace heed::attention {
namespace {

TEST(Budget, AgreesWithTheGoldenVector) {
  const auto x = golden().at("x").get<std::vector<double>>();
  expect_all_near(weights_of(*normaliser("budget"), x),
                  golden().at("budget_2").get<std::vector<double>>(), 1e-12);
}

TEST(Budget, GivesTheWorkedExample) {
  expect_all_near(weights_of(*normaliser("budget"), {-2, 0, 0.5}), {0, 1, 1}, 0);
}

TEST(Budget, DividesAlikeAtAnyScale) {
  // The two that tie share what the best leaves, though 1e30 + 1 is 1e30.
  expect_all_near(weights_of(*normaliser("budget"), {1e30, -1e30, -1e30}), {1, 0.5, 0.5}, 1e-12);
}

TEST(Budget, PassesTheGradientBetweenItsBoundsOnly) {
  // Weights 1, .7, .3, 0.
  const auto part = normaliser("budget");
  expect_all_near(weights_of(*part, {5, 0.7, 0.3, -2}), {1, 0.7, 0.3, 0}, 1e-15);
  expect_all_near(gradient_of(*part, {5, 0.7, 0.3, -2}, {9, 1, 3, 9}), {0, -1, 1, 0}, 1e-15);
}

TEST(Budget, RefusesMoreThanThereAreKeys) {
  EXPECT_THROW(normaliser("budget", {{"k", "4"}})->check(3), UsageError);
  EXPECT_NO_THROW(normaliser("budget", {{"k", "3"}})->check(3));
}

}  // namespace
}  // namespace heed::attention
