// SPDX-License-Identifier: Apache-2.0
// Pooling against values computed by hand.
#include "heed/models/pooling.h"

#include <gtest/gtest.h>

#include "heed/attention/trace.h"
#include "heed/autograd/ops.h"
#include "heed/models/testing.h"

namespace heed::models {
namespace {

// Two texts of two features: states 1 2 | 3 -4, and -5 6 | padding that holds 100 100.
EncodedText example_text() {
  return {.states = Tensor::of({2, 2, 2}, {1, 2, 3, -4, -5, 6, 100, 100}),
          .last = Tensor::of({2, 2}, {7, 8, 9, 10}),
          .lengths = Ids::of({2}, {2, 1})};
}

TEST(Summary, IsMeanMaximumOrLastWithoutPadding) {
  EXPECT_EQ(summary_of(Summary::mean, example_text()).value().values(),
            (std::vector<Real>{2, -1, -5, 6}));
  EXPECT_EQ(summary_of(Summary::maximum, example_text()).value().values(),
            (std::vector<Real>{3, 2, -5, 6}));
  EXPECT_EQ(summary_of(Summary::last, example_text()).value().values(),
            (std::vector<Real>{7, 8, 9, 10}));
}

TEST(AttentionPooling, WeighsStatesByTheirScores) {
  Random random(1);
  const AttentionPooling pooling({.mechanism = "dot", .query_width = 2, .width = 2}, random);
  const Variable query(Tensor::of({2, 1, 2}, {1, 0, 1, 1}));
  attention::Trace trace;
  const Variable found = pooling(query, example_text(), {.layer = 3}, {.watch = &trace});
  // Scores 1 and 3: weights 1 / (1 + e^2) and the rest.
  const double light = 1 / (1 + std::exp(2));
  EXPECT_NEAR(found.value().at({0, 0, 0}), light * 1 + (1 - light) * 3, 1e-5);
  EXPECT_NEAR(found.value().at({0, 0, 1}), light * 2 - (1 - light) * 4, 1e-5);
  EXPECT_NEAR(found.value().at({1, 0, 0}), -5, 1e-5);
  ASSERT_EQ(trace.entries().size(), 1u);
  EXPECT_EQ(trace.entries()[0].site.layer, 3);
  EXPECT_NEAR(trace.entries()[0].weights.at({0, 0, 0, 0}), light, 1e-5);
  EXPECT_TRUE(attention::is_masked(trace.entries()[0].weights.at({1, 0, 0, 1})));
}

TEST(AttentionPooling, LeavesPaddingOutOfMatchings) {
  // Two queries each, of which the second text has one: its padding takes no part of the matching.
  Random random(1);
  const AttentionPooling pooling(
      {.mechanism = "dot | full | sinkhorn(iterations=200)", .query_width = 2, .width = 2}, random);
  const Variable query(Tensor::of({2, 2, 2}, {1, 0, 1, 1, 1, 1, 9, 9}));
  EncodedText text = example_text();
  text.states = Tensor::of({2, 3, 2}, {1, 2, 3, -4, 100, 100, -5, 6, .5, .5, 100, 100});
  text.lengths = Ids::of({2}, {2, 2});
  attention::Trace trace;
  pooling(query, text, {}, {.watch = &trace}, Ids::of({2}, {2, 1}));
  const Tensor& weights = trace.entries().at(0).weights;
  // The first: rows and columns of the two by two add up to one.
  EXPECT_NEAR(weights.at({0, 0, 0, 0}) + weights.at({0, 0, 0, 1}), 1, 1e-5);
  EXPECT_NEAR(weights.at({0, 0, 0, 0}) + weights.at({0, 0, 1, 0}), 1, 1e-4);
  EXPECT_TRUE(attention::is_masked(weights.at({0, 0, 0, 2})));
  // The second: one query over two keys has half of each, whatever its padding would like.
  EXPECT_NEAR(weights.at({1, 0, 0, 0}), .5, 1e-4);
  EXPECT_TRUE(attention::is_masked(weights.at({1, 0, 1, 0})));
}

TEST(LearnedPooling, AsksEveryTextTheSame) {
  Random random(1);
  const LearnedPooling pooling({.mechanism = "dot", .query_width = 2, .width = 2}, random);
  const Variable asked = pooling.pooling(expand(pooling.query, {2, 1, 2}), example_text(), {}, {});
  EXPECT_EQ(pooling(example_text(), {}, {}).value().values(), asked.value().values());
}

}  // namespace
}  // namespace heed::models
