// SPDX-License-Identifier: Apache-2.0
#include "heed/insight/draw/chosen_words.h"

#include <gtest/gtest.h>

#include "heed/insight/draw/matrix_view.h"
#include "heed/insight/draw/matrix_view_testing.h"

namespace heed::insight {
namespace {

bool chooses(std::initializer_list<Real> row, std::initializer_list<Real> other) {
  const auto keys = static_cast<std::int64_t>(row.size());
  return chooses_keys(
      {.heads = {{0, 0, Tensor::of({1, keys}, row)}, {0, 1, Tensor::of({1, keys}, other)}}});
}

TEST(ChoosesKeys, IsTrueWhereSomeRowAddsUpToMoreThanOne) {
  EXPECT_TRUE(chooses({1, 1, 0}, {0, 1, 0}));
  EXPECT_TRUE(chooses({0, .25f, 0}, {.5f, .4f, .2f}));
  EXPECT_FALSE(chooses({0, 1, 0}, {.2f, .3f, .5f})) << "a weight that is shared";
  EXPECT_FALSE(chooses({.2f, .3f, .5005f}, {1, 0, 0})) << "rounding";
  EXPECT_FALSE(chooses({1, 1, 0}, {1.5f, 0, 0})) << "weights above one choose nothing";
  EXPECT_TRUE(chooses({1, kMasked, .5f}, {0, 0, 0}));
  EXPECT_FALSE(chooses({kMasked, kMasked, 1}, {0, 0, 0}));
}

TEST(ChoosesKeys, GoesByTheTraceWhateverIsShown) {
  TracedExample example = small_document().examples[0];
  EXPECT_FALSE(matrix_view(example).chooses) << "three rows of a sum of one";
  EXPECT_FALSE(matrix_view(example, {.aggregate = Aggregate::max}).chooses);
  EXPECT_FALSE(matrix_view(example, {.normalise = Normalise::columns}).chooses);
  example.attentions[0].heads[0].weights = Tensor::of({3, 3}, {1, 0, 0, 0, 1, 1, 0, 0, 0});
  EXPECT_TRUE(matrix_view(example).chooses);
  EXPECT_TRUE(matrix_view(example, {.normalise = Normalise::rows}).chooses);
}

TEST(ChosenRuns, JoinsNeighboursOfAtLeastOneHalf) {
  const std::vector<double> weights = {.5, 1, .49, kMasked, .9};
  EXPECT_EQ(chosen_runs(weights), (std::vector<WordRun>{{0, 2}, {4, 5}}));
  EXPECT_TRUE(chosen_runs({}).empty());
}

}  // namespace
}  // namespace heed::insight
