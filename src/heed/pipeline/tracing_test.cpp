// SPDX-License-Identifier: Apache-2.0
#include "heed/pipeline/tracing.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/tensor/testing.h"

namespace heed::pipeline {
namespace {

using heed::testing::counting;

insight::TracedExample two_strips() {
  insight::TracedExample example;
  example.strips.push_back({.name = "source", .tokens = {"a", "b"}});
  example.strips.push_back({.name = "target", .tokens = {"A"}});
  example.strips.push_back({.name = "nothing"});
  return example;
}

attention::Site cross(int layer) {
  return {.role = attention::Role::cross,
          .set = "cross",
          .queries = "target",
          .keys = "source",
          .layer = layer,
          .stepwise = true};
}

TEST(Tracing, GathersHeadsByKindAndLayerWithoutPadding) {
  insight::TracedExample example = two_strips();
  // Three keys, of which the last is padding.
  const std::vector<decoding::AttentionPath> paths = {{cross(0), counting({2, 1, 3})},
                                                      {cross(1), counting({2, 1, 3})}};
  add_attentions(example, paths);
  ASSERT_EQ(example.attentions.size(), 1u);
  const insight::AttentionSet& set = example.attentions[0];
  EXPECT_TRUE(set.stepwise);
  ASSERT_EQ(set.heads.size(), 4u);
  EXPECT_EQ(set.heads[3].layer, 1);
  EXPECT_EQ(set.heads[3].head, 1);
  EXPECT_EQ(set.heads[3].weights.values(), (std::vector<Real>{3, 4}));
  EXPECT_NO_THROW(insight::check({.examples = {example}}));
}

TEST(Tracing, ShowsWhatOvershootsALittleAsZero) {
  insight::TracedExample example = two_strips();
  const std::vector<decoding::AttentionPath> paths = {
      {cross(0), Tensor::of({2, 1, 2}, {1, Real(-.25), Real(.5), Real(-.75)})}};
  add_attentions(example, paths);
  EXPECT_EQ(example.attentions[0].heads[0].weights.values(), (std::vector<Real>{1, 0}));
  // No small one: it stays, and is refused where it is written.
  EXPECT_THROW(insight::check({.examples = {example}}), UsageError);
}

TEST(Tracing, KeepsTheModelsOfAnEnsembleApart) {
  insight::TracedExample example = two_strips();
  const std::vector<decoding::AttentionPath> paths = {{cross(0), counting({1, 1, 2})},
                                                      {cross(0), counting({1, 1, 2})}};
  add_attentions(example, paths);
  ASSERT_EQ(example.attentions.size(), 2u);
  EXPECT_EQ(example.attentions[1].kind, "cross of model 2");
}

TEST(Tracing, LeavesOutWhatLooksAtNothing) {
  insight::TracedExample example = two_strips();
  attention::Site nothing = cross(0);
  nothing.keys = "nothing";
  attention::Site elsewhere = cross(0);
  elsewhere.keys = "image";
  const std::vector<decoding::AttentionPath> paths = {{nothing, counting({1, 1, 2})},
                                                      {elsewhere, counting({1, 1, 2})}};
  add_attentions(example, paths);
  EXPECT_TRUE(example.attentions.empty());
  EXPECT_THROW(check_attends(example, "demo"), UsageError);
}

TEST(Tracing, TakesTooFewWeightsForAMistakeOfItsOwn) {
  insight::TracedExample example = two_strips();
  const std::vector<decoding::AttentionPath> small = {{cross(0), counting({1, 1, 1})}};
  EXPECT_THROW(add_attentions(example, small), InternalError);
}

TEST(Tracing, GivesTokensBehindTheWordsNone) {
  EXPECT_EQ(padded_words({0, 0, 1}, 5), (std::vector<int>{0, 0, 1, -1, -1}));
}

}  // namespace
}  // namespace heed::pipeline
