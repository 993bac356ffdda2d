// SPDX-License-Identifier: Apache-2.0
#include "cli/bench/gradient_reach.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"

namespace heed::cli {
namespace {

TEST(Reach, IsTenTimesWiderWithAttentionFiftyStepsBack) {
  const std::vector<Reach> models = measure_reach();
  ASSERT_EQ(models.size(), 7u);
  for (std::size_t i = 0; i < 6; i += 2) {
    EXPECT_EQ(models[i].norms.size(), 100u);
    EXPECT_GE(models[i + 1].norms[50], 10 * models[i].norms[50]) << models[i].name;
    EXPECT_LT(models[i].norms[50], models[i].norms[0]) << models[i].name;
  }
  // A Transformer sees every step alike.
  const Reach& transformer = models.back();
  EXPECT_GT(transformer.norms[50], 0.3 * transformer.norms[25]);
}

TEST(Reach, IsDrawnWithALineForEachModel) {
  const std::string svg = reach_svg(measure_reach({.steps = 5, .width = 4, .batch = 2}));
  EXPECT_NE(svg.find("GRU with attention"), std::string::npos);
}

TEST(Reach, RefusesSequencesOfNothing) {
  EXPECT_THROW(measure_reach({.steps = 0}), UsageError);
}

}  // namespace
}  // namespace heed::cli
