// SPDX-License-Identifier: Apache-2.0
// Top-k softmax: what is kept, ties, and k beyond the keys.
#include <gtest/gtest.h>

#include "heed/attention/testing.h"

namespace heed::attention {
namespace {

TEST(TopkSoftmax, IsSoftmaxOfTheKeptKeys) {
  const auto part = normaliser("topk_softmax", {{"k", "2"}});
  const std::vector<double> kept = weights_of(*normaliser("softmax"), {2, 1.5});
  expect_all_near(weights_of(*part, {1, 2, 1.5, -3}), {0, kept[0], kept[1], 0}, 1e-15);
}

TEST(TopkSoftmax, KeepsTheFirstOfEquals) {
  const auto part = normaliser("topk_softmax", {{"k", "2"}});
  expect_all_near(weights_of(*part, {0, 1, 1, 1}), {0, 0.5, 0.5, 0}, 1e-15);
}

TEST(TopkSoftmax, KeepsAllKeysWhenThereAreFewer) {
  const auto part = normaliser("topk_softmax", {{"k", "5"}});
  expect_all_near(weights_of(*part, {1, 2}), weights_of(*normaliser("softmax"), {1, 2}), 0);
}

TEST(TopkSoftmax, RefusesToKeepNone) {
  EXPECT_THROW(normaliser("topk_softmax", {{"k", "0"}}), UsageError);
}

TEST(TopkSoftmax, IsNanWhereAScoreIs) {
  const auto part = normaliser("topk_softmax", {{"k", "2"}});
  for (const double weight : weights_of<double>(*part, {.scores = {1, NAN, 2, 0}})) {
    EXPECT_TRUE(std::isnan(weight));
  }
}

}  // namespace
}  // namespace heed::attention
