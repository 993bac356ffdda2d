// SPDX-License-Identifier: Apache-2.0
// Straight-through: the likeliest choice, and whose gradient it has.
#include <gtest/gtest.h>

#include <limits>

#include "heed/attention/testing.h"
#include "heed/base/testing.h"

namespace heed::attention {
namespace {

const std::vector<double> kHardScores = {0.5, -1.0, 2.0, 1.6, 0.0, 1.5};
const std::vector<double> kHardUpstream = {0.3, -0.7, 1.1, -0.2, 0.9, 0.4};

TEST(StraightThrough, GivesTheBestKeyAllTheWeight) {
  EXPECT_EQ(weights_of(*normaliser("straight_through"), kHardScores),
            (std::vector<double>{0, 0, 1, 0, 0, 0}));
  EXPECT_EQ(weights_of(*normaliser("straight_through"), {3.0, 3.0}), (std::vector<double>{1, 0}))
      << "the first of equals";
  EXPECT_EQ(weights_of(*normaliser("straight_through"), {-4.0}), std::vector<double>{1});
}

TEST(StraightThrough, OpensGatesFromOneHalf) {
  EXPECT_EQ(weights_of(*normaliser("straight_through", {{"of", "sigmoid"}}), {0.5, -1, 0, -0.1}),
            (std::vector<double>{1, 0, 1, 0}));
}

TEST(StraightThrough, HasTheGradientOfTheWeights) {
  EXPECT_EQ(gradient_of(*normaliser("straight_through"), kHardScores, kHardUpstream),
            gradient_of(*normaliser("softmax"), kHardScores, kHardUpstream));
  EXPECT_EQ(gradient_of(*normaliser("straight_through", {{"of", "entmax(alpha=1.25)"}}),
                        kHardScores, kHardUpstream),
            gradient_of(*normaliser("entmax", {{"alpha", "1.25"}}), kHardScores, kHardUpstream));
  EXPECT_EQ(gradient_of(*normaliser("straight_through", {{"gradient", "identity"}}), kHardScores,
                        kHardUpstream),
            kHardUpstream);
}

// The loss of the golden file, |V^T w - t|^2/2.
TEST(StraightThrough, HasTheGoldenGradientsOfAQuadraticLoss) {
  const auto& golden = structured_golden().at("estimators");
  const auto values = golden.at("values").get<std::vector<std::vector<double>>>();
  const auto target = golden.at("target").get<std::vector<double>>();
  std::vector<double> g;  // at key 2, the best
  for (const auto& value : values) {
    g.push_back(value[0] * (values[2][0] - target[0]) + value[1] * (values[2][1] - target[1]));
  }
  for (const auto& row : golden.at("rows")) {
    const auto mean = row.at("mean").get<std::vector<double>>();
    if (row.at("name") == "st argmax softmax") {
      expect_all_near(gradient_of(*normaliser("straight_through"), kHardScores, g), mean, 1e-11);
    }
    if (row.at("name") == "st argmax identity") {
      expect_all_near(
          gradient_of(*normaliser("straight_through", {{"gradient", "identity"}}), kHardScores, g),
          mean, 1e-11);
    }
  }
}

TEST(StraightThrough, LearnsTheParametersOfWhatItIsMadeOf) {
  const Arguments learnable = {{"of", "entmax(alpha=1.3, learnable=true)"}};
  const auto part = normaliser("straight_through", learnable);
  const auto soft = normaliser("entmax", {{"alpha", "1.3"}, {"learnable", "true"}});
  RowData<double> row{.scores = kHardScores, .parameters = first_parameters(*part)};
  ASSERT_EQ(row.parameters, first_parameters(*soft));
  const auto found = gradients_of(*part, row, kHardUpstream);
  const auto expected = gradients_of(*soft, row, kHardUpstream);
  EXPECT_EQ(found.parameters, expected.parameters);
  EXPECT_EQ(found.scores, expected.scores);
}

TEST(StraightThrough, TakesTheBoundsOfWhatItIsMadeOf) {
  EXPECT_TRUE(normaliser("straight_through", {{"of", "constrained_softmax"}})->takes_bounds());
  EXPECT_FALSE(normaliser("straight_through")->takes_bounds());
  RowData<double> row{.scores = {2, 1, 0}, .bounds = {0.1, 0.8, 0.9}};
  EXPECT_EQ(weights_of(*normaliser("straight_through", {{"of", "constrained_softmax"}}), row),
            (std::vector<double>{0, 1, 0}));
}

// Several keys with one weight: the best score decides, not the place.
TEST(StraightThrough, PrefersTheBestScoreAmongKeysThatWereFused) {
  const auto part = normaliser("straight_through", {{"of", "fusedmax"}});
  EXPECT_EQ(weights_of(*part, {1.0, 1.2, 0.0}), (std::vector<double>{0, 1, 0}));
}

TEST(StraightThrough, RefusesAPartItCannotBeMadeOf) {
  const auto said = [](const char* of) {
    return heed::test::message_of<UsageError>([&] {
      normaliser("straight_through", {{"of", of}});
    });
  };
  EXPECT_EQ(said("sample"),
            "straight_through: of: \"sample\" is random itself; it takes a normaliser such as "
            "softmax, sparsemax or sigmoid");
  EXPECT_EQ(said("straight_through"),
            "straight_through: of: \"straight_through\" has no gradient of its own; it takes a "
            "normaliser such as softmax, sparsemax or sigmoid");
  EXPECT_THROW(normaliser("straight_through", {{"gradient", "hard"}}), UsageError);
}

}  // namespace
}  // namespace heed::attention
