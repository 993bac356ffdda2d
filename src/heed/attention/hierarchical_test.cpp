// SPDX-License-Identifier: Apache-2.0
// Two levels of attention: who sees what, alone and in batches.
#include "heed/attention/hierarchical.h"

#include <gtest/gtest.h>

#include "heed/attention/draws.h"
#include "heed/attention/trace.h"
#include "heed/base/error.h"

namespace heed::attention {
namespace {

Tensor numbers(const Shape& shape, std::uint64_t seed) {
  Random random(seed);
  Tensor x(shape);
  for (std::int64_t i = 0; i < x.size(); ++i) {
    x.mutable_data()[i] = static_cast<Real>(random.normal());
  }
  return x;
}

double difference(const Tensor& a, const Tensor& b) {
  double largest = 0;
  const auto x = a.values();
  const auto y = b.values();
  for (std::size_t i = 0; i < x.size(); ++i) {
    largest = std::max(largest, static_cast<double>(std::abs(x[i] - y[i])));
  }
  return largest;
}

class Hierarchical : public ::testing::Test {
 protected:
  Random random_{3};
  HierarchicalAttention look_{
      {.sentences = "scaled_dot | full | sparsemax", .width = 6, .heads = 2}, random_};
  Tensor words_ = numbers({3, 4, 6}, 1);  // three sentences
  Ids lengths_ = Ids::of({3}, {4, 2, 3});
  Tensor x_ = numbers({2, 5, 6}, 2);
};

TEST_F(Hierarchical, LeavesASequenceWithNothingBeforeItAsItIs) {
  const auto memory = look_.memory(words_, lengths_, Ids::of({2, 2}, {0, 1, -1, -1}));
  const Tensor y = look_(x_, memory).value();
  EXPECT_EQ(y.select(0, 1).values(), x_.select(0, 1).values());
  EXPECT_GT(difference(y.select(0, 0), x_.select(0, 0)), .01);
}

TEST_F(Hierarchical, GivesASequenceTheSameAloneAsInABatch) {
  const auto memory = look_.memory(words_, lengths_, Ids::of({2, 2}, {2, 0, 1, -1}));
  const Tensor both = look_(x_, memory).value();
  for (int b = 0; b < 2; ++b) {
    const Tensor x = x_.slice(0, b, b + 1);
    const auto alone =
        look_.memory(words_, lengths_, b == 0 ? Ids::of({1, 2}, {2, 0}) : Ids::of({1, 1}, {1}));
    EXPECT_LE(difference(look_(x, alone).value(), both.slice(0, b, b + 1)), 1e-5) << b;
    EXPECT_LE(
        difference(look_(x, memory.reordered(Ids::of({1}, {b}))).value(), both.slice(0, b, b + 1)),
        1e-5)
        << b;
  }
}

TEST_F(Hierarchical, DoesNotSeeWordsBehindTheEndOfASentence) {
  const Ids rows = Ids::of({2, 1}, {1, 1});
  const Tensor before = look_(x_, look_.memory(words_, lengths_, rows)).value();
  Tensor other = words_.clone();
  for (int i = 0; i < 6; ++i) other.mutable_data()[(4 + 3) * 6 + i] = 100;  // word 3 of sentence 1
  EXPECT_EQ(look_(x_, look_.memory(other, lengths_, rows)).value().values(), before.values());
}

TEST_F(Hierarchical, ShowsTheDrawsOfBothLevelsSequenceBySequence) {
  const HierarchicalAttention drawing({.words = "scaled_dot | full | sample",
                                       .sentences = "scaled_dot | full | sample",
                                       .width = 6,
                                       .heads = 2},
                                      random_);
  Draws both;
  drawing(x_, drawing.memory(words_, lengths_, Ids::of({2, 2}, {2, 0, 1, -1})), {.watch = &both});
  ASSERT_EQ(both.entries().size(), 2u);
  for (const Draws::Entry& entry : both.entries()) {
    EXPECT_EQ(entry.log_probability.shape(), Shape({2, 2, 5}));
    EXPECT_EQ(entry.entropy.shape(), Shape({2, 2, 5}));
  }
  Draws alone;  // the second sequence
  drawing(x_.slice(0, 1, 2), drawing.memory(words_, lengths_, Ids::of({1, 1}, {1})),
          {.watch = &alone});
  EXPECT_LT(alone.log_probability().value().item(), 0);
  EXPECT_NEAR(alone.log_probability().value().item(), both.log_probability().value().at({1}), 1e-4);
}

TEST_F(Hierarchical, LeavesTheWeightsOfBothLevelsInTheTrace) {
  Trace trace;
  const auto memory = look_.memory(words_, lengths_, Ids::of({2, 2}, {0, 1, 2, -1}));
  look_(
      x_, memory,
      {.watch = &trace, .words = {.set = "words", .layer = 7}, .sentences = {.set = "sentences"}});
  ASSERT_EQ(trace.entries().size(), 2u);
  const Trace::Entry& words = trace.entries()[0];
  const Trace::Entry& sentences = trace.entries()[1];
  EXPECT_EQ(words.site.set, "words");
  EXPECT_EQ(sentences.site.set, "sentences");
  EXPECT_EQ(words.site.layer, 7);
  EXPECT_EQ(words.weights.shape(), Shape({2, 2, 5, 8}));
  EXPECT_EQ(sentences.weights.shape(), Shape({2, 2, 5, 2}));
  // Sequence 1 has one sentence, of three words.
  EXPECT_NEAR(sentences.weights.at({1, 0, 3, 0}), 1, 1e-6);
  EXPECT_TRUE(is_masked(sentences.weights.at({1, 0, 3, 1})));
  Real sum = 0;
  for (int w = 0; w < 3; ++w) sum += words.weights.at({1, 1, 4, w});
  EXPECT_NEAR(sum, 1, 1e-6);
  EXPECT_TRUE(is_masked(words.weights.at({1, 1, 4, 3})));
}

TEST_F(Hierarchical, RefusesSentencesThatAreNotThere) {
  EXPECT_THROW(look_.memory(words_, lengths_, Ids::of({1, 2}, {-1, 0})), UsageError);
  EXPECT_THROW(look_.memory(words_, lengths_, Ids::of({1, 1}, {3})), UsageError);
  EXPECT_THROW(look_.memory(words_, lengths_, Ids::of({1}, {0})), UsageError);
}

}  // namespace
}  // namespace heed::attention
