// SPDX-License-Identifier: Apache-2.0
// Entmax: golden vectors along alpha, and a learnable alpha.
#include <gtest/gtest.h>

#include "heed/attention/testing.h"

namespace heed::attention {
namespace {

TEST(Entmax, AgreesWithTheGoldenVectors) {
  for (const char* alpha : {"1.25", "1.5", "1.75", "2", "2.5"}) {
    SCOPED_TRACE(alpha);
    expect_golden(*normaliser("entmax", {{"alpha", alpha}}),
                  golden().at(std::string("entmax_") + alpha));
  }
  expect_golden(*normaliser("entmax", {{"alpha", "1"}}), golden().at("softmax"));
}

TEST(Entmax, GivesTheWorkedExamples) {
  expect_all_near(weights_of(*normaliser("entmax"), {-2, 0, 0.5}), {0, 0.3260, 0.6740}, 5e-5);
  const auto part = normaliser("entmax", {{"alpha", "1.33"}});
  expect_all_near(weights_of(*part, {-1, 0, 0.5}), {0.0460, 0.3276, 0.6264}, 5e-5);
}

// alpha = 1 + (highest-1) sigmoid(a): the gradient by a is that by alpha times the slope of this.
TEST(Entmax, LearnsAlphaAnywhereBelowItsHighest) {
  const auto x = golden().at("x").get<std::vector<double>>();
  const auto g = golden().at("g").get<std::vector<double>>();
  const auto part = normaliser("entmax", {{"learnable", "true"}, {"highest", "3"}});
  for (const double alpha : {1.25, 1.5, 1.75, 2.0, 2.5}) {
    SCOPED_TRACE(alpha);
    RowData<double> row{.scores = x};
    row.parameters = {std::log((alpha - 1) / (3 - alpha))};
    const auto& expected = golden().at(fmt::format("entmax_{}", alpha));
    expect_all_near(weights_of(*part, row), expected.at("p").get<std::vector<double>>(), 1e-12);
    const double slope = (alpha - 1) * (3 - alpha) / 2;
    EXPECT_NEAR(gradients_of(*part, row, g).parameters[0],
                slope * expected.at("dalpha").get<double>(), 1e-9);
  }
}

// A parameter that training has driven far out leaves alpha at an end, and no NaN.
TEST(Entmax, StaysWithinItsRangeWhateverTheParameter) {
  const auto part = normaliser("entmax", {{"learnable", "true"}});
  for (const double a : {-1e30, -800.0, 800.0, 1e30}) {
    RowData<double> row{.scores = {-1, 0, 0.5}};
    row.parameters = {a};
    const auto end = normaliser("entmax", {{"alpha", a < 0 ? "1" : "2"}});
    expect_all_near(weights_of(*part, row), weights_of(*end, {-1, 0, 0.5}), 1e-14);
    EXPECT_EQ(gradients_of(*part, row, {1, 2, 4}).parameters[0], 0) << a;
  }
}

TEST(Entmax, StartsALearnableAlphaWhereItWasSet) {
  const auto part = normaliser("entmax", {{"alpha", "1.3"}, {"learnable", "true"}});
  RowData<double> row{.scores = {-1, 0, 0.5}};
  row.parameters = first_parameters(*part);
  expect_all_near(weights_of(*part, row),
                  weights_of(*normaliser("entmax", {{"alpha", "1.3"}}), {-1, 0, 0.5}), 1e-7);
}

TEST(Entmax, KeepsOneLearnableNumberPerHeadUnderItsOwnName) {
  const auto part = normaliser("entmax", {{"learnable", "true"}});
  Random random(1);
  part->build({.heads = 3}, random);
  const nn::Parameters found = nn::parameters(*part);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].name, "");
  EXPECT_EQ(found[0].variable.shape(), (Shape{3, 1}));
  EXPECT_TRUE(nn::parameters(*normaliser("entmax")).empty());
}

TEST(Entmax, RefusesAnAlphaBelowOneAndNamesItself) {
  try {
    normaliser("entmax", {{"alpha", "0.5"}});
    FAIL() << "alpha 0.5 was taken";
  } catch (const UsageError& error) {
    EXPECT_TRUE(std::string(error.what()).starts_with("entmax: alpha is \"0.5\"")) << error.what();
  }
  const auto part = normaliser("entmax", {{"alpha", "2"}, {"learnable", "true"}});
  EXPECT_THROW(part->check(3), UsageError) << "2 is the highest already";
  EXPECT_THROW(normaliser("entmax", {{"highest", "1"}}), UsageError);
}

}  // namespace
}  // namespace heed::attention
