// SPDX-License-Identifier: Apache-2.0
// SPIGOT: the best key, and the way back onto the simplex.
#include <gtest/gtest.h>

#include "heed/attention/testing.h"

namespace heed::attention {
namespace {

TEST(Spigot, GivesTheBestKeyAllTheWeight) {
  EXPECT_EQ(weights_of(*normaliser("spigot"), {0.5, 2.0, 2.0}), (std::vector<double>{0, 1, 0}));
  EXPECT_EQ(weights_of(*normaliser("spigot"), {-3.0}), std::vector<double>{1});
}

// By hand: z = (1, 0), g = (1, 0), step 1/2: z - g/2 = (1/2, 0), whose nearest point of the simplex
// is (3/4, 1/4), so that (z - that)/(1/2) = (1/2, -1/2).
TEST(Spigot, GoesToWhereAStepLandsOnTheSimplex) {
  expect_all_near(gradient_of(*normaliser("spigot", {{"step", "0.5"}}), {2, 1}, {1, 0}),
                  {0.5, -0.5}, 1e-15);
  EXPECT_EQ(gradient_of(*normaliser("spigot"), {2, 1}, {-1, 0}), (std::vector<double>{0, 0}))
      << "nothing is better than the corner it stands on";
}

TEST(Spigot, HasTheGoldenGradientsOfAQuadraticLoss) {
  const auto& golden = structured_golden().at("estimators");
  const auto x = structured_golden().at("x").get<std::vector<double>>();
  const auto values = golden.at("values").get<std::vector<std::vector<double>>>();
  const auto target = golden.at("target").get<std::vector<double>>();
  std::vector<double> g;  // at key 2, the best
  for (const auto& value : values) {
    g.push_back(value[0] * (values[2][0] - target[0]) + value[1] * (values[2][1] - target[1]));
  }
  int found = 0;
  for (const auto& row : golden.at("rows")) {
    for (const auto& [name, step] :
         {std::pair{"spigot eta=0.5 /eta", "0.5"}, {"spigot eta=1 /eta", "1"}}) {
      if (row.at("name") != name) continue;
      ++found;
      expect_all_near(gradient_of(*normaliser("spigot", {{"step", step}}), x, g),
                      row.at("mean").get<std::vector<double>>(), 1e-11);
    }
  }
  EXPECT_EQ(found, 2);
}

TEST(Spigot, RefusesAStepOfNothing) {
  EXPECT_THROW(normaliser("spigot", {{"step", "0"}}), UsageError);
}

}  // namespace
}  // namespace heed::attention
