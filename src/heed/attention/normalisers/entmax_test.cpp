// SPDX-License-Identifier: Apache-2.0
// Entmax: golden vectors along alpha, the gradient by alpha through 1, and a learnable alpha.
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
  expect_near(weights_of(*normaliser("entmax"), {-2, 0, 0.5}), {0, 0.3260, 0.6740}, 5e-5);
  const auto part = normaliser("entmax", {{"alpha", "1.33"}});
  expect_near(weights_of(*part, {-1, 0, 0.5}), {0.0460, 0.3276, 0.6264}, 5e-5);
}

// Where 1 + sigmoid(a) is alpha, the gradient by a is that by alpha times the slope of the sigmoid.
double alpha_gradient(double alpha, std::vector<double> scores, const std::vector<double>& g) {
  const double slope = (alpha - 1) * (2 - alpha);
  RowData<double> row{.scores = std::move(scores)};
  row.parameters = {std::log((alpha - 1) / (2 - alpha))};
  return gradients_of(*normaliser("entmax", {{"learnable", "true"}}), row, g).parameters[0] / slope;
}

TEST(Entmax, GivesTheGradientByAlpha) {
  const auto x = golden().at("x").get<std::vector<double>>();
  const auto g = golden().at("g").get<std::vector<double>>();
  for (const double alpha : {1.25, 1.5, 1.75}) {
    const double expected = golden().at(fmt::format("entmax_{}", alpha)).at("dalpha");
    EXPECT_NEAR(alpha_gradient(alpha, x, g), expected, 1e-9) << alpha;
  }
  EXPECT_NEAR(alpha_gradient(1.33, {-1, 0, 0.5}, {1, 0, 0}), -0.2562, 5e-5);
}

TEST(Entmax, TheGradientByAlphaIsStableTowardsOne) {
  const auto x = golden().at("x").get<std::vector<double>>();
  const auto g = golden().at("g").get<std::vector<double>>();
  const double expected = golden().at("entmax_1_dalpha");
  EXPECT_NEAR(alpha_gradient(1 + 1e-7, x, g), expected, 1e-6);
  EXPECT_NEAR(alpha_gradient(1 + 1e-12, x, g), expected, 1e-6);
}

TEST(Entmax, StartsALearnableAlphaWhereItWasSet) {
  const auto part = normaliser("entmax", {{"alpha", "1.3"}, {"learnable", "true"}});
  EXPECT_EQ(part->parameter_names(), std::vector<std::string>{"alpha"});
  RowData<double> row{.scores = {-1, 0, 0.5}};
  row.parameters = part->first_parameters();
  expect_near(weights_of(*part, row),
              weights_of(*normaliser("entmax", {{"alpha", "1.3"}}), {-1, 0, 0.5}), 1e-14);
}

TEST(Entmax, RefusesAnAlphaBelowOneAndNamesItself) {
  try {
    normaliser("entmax", {{"alpha", "0.5"}});
    FAIL() << "alpha 0.5 was taken";
  } catch (const UsageError& error) {
    EXPECT_TRUE(std::string(error.what()).starts_with("entmax: alpha is \"0.5\"")) << error.what();
  }
  EXPECT_THROW(normaliser("entmax", {{"alpha", "2"}, {"learnable", "true"}})->check(3), UsageError);
}

}  // namespace
}  // namespace heed::attention
