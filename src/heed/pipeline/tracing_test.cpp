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

const std::vector<Seat> kSeats = {{"cross", "target", "source", true},
                                  {"void", "target", "nothing"},
                                  {"elsewhere", "target", "image"}};

TEST(Tracing, GathersHeadsByKindAndLayerWithoutPadding) {
  insight::TracedExample example = two_strips();
  // Three keys, of which the last is padding.
  const std::vector<decoding::AttentionPath> paths = {{{0, "cross"}, counting({2, 1, 3})},
                                                      {{1, "cross"}, counting({2, 1, 3})}};
  add_attentions(example, paths, kSeats);
  ASSERT_EQ(example.attentions.size(), 1u);
  const insight::AttentionSet& set = example.attentions[0];
  EXPECT_TRUE(set.stepwise);
  ASSERT_EQ(set.heads.size(), 4u);
  EXPECT_EQ(set.heads[3].layer, 1);
  EXPECT_EQ(set.heads[3].head, 1);
  EXPECT_EQ(set.heads[3].weights.values(), (std::vector<Real>{3, 4}));
  EXPECT_NO_THROW(insight::check({.examples = {example}}));
}

TEST(Tracing, KeepsTheModelsOfAnEnsembleApart) {
  insight::TracedExample example = two_strips();
  const std::vector<decoding::AttentionPath> paths = {{{0, "cross"}, counting({1, 1, 2})},
                                                      {{0, "cross"}, counting({1, 1, 2})}};
  add_attentions(example, paths, kSeats);
  ASSERT_EQ(example.attentions.size(), 2u);
  EXPECT_EQ(example.attentions[1].kind, "cross of model 2");
}

TEST(Tracing, LeavesOutWhatLooksAtNothing) {
  insight::TracedExample example = two_strips();
  const std::vector<decoding::AttentionPath> paths = {{{0, "void"}, counting({1, 1, 2})},
                                                      {{0, "elsewhere"}, counting({1, 1, 2})}};
  add_attentions(example, paths, kSeats);
  EXPECT_TRUE(example.attentions.empty());
  EXPECT_THROW(check_attends(example, "demo"), UsageError);
}

TEST(Tracing, TakesUnknownKindsAndTooFewWeightsForMistakesOfItsOwn) {
  insight::TracedExample example = two_strips();
  const std::vector<decoding::AttentionPath> unknown = {{{0, "glance"}, counting({1, 1, 2})}};
  EXPECT_THROW(add_attentions(example, unknown, kSeats), InternalError);
  const std::vector<decoding::AttentionPath> small = {{{0, "cross"}, counting({1, 1, 1})}};
  EXPECT_THROW(add_attentions(example, small, kSeats), InternalError);
}

TEST(Tracing, GivesTokensBehindTheWordsNone) {
  EXPECT_EQ(padded_words({0, 0, 1}, 5), (std::vector<int>{0, 0, 1, -1, -1}));
}

}  // namespace
}  // namespace heed::pipeline
