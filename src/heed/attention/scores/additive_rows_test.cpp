// SPDX-License-Identifier: Apache-2.0
// The additive score by rows against its composition, and the memory it takes.
#include "heed/attention/scores/additive_rows.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "heed/tensor/memory_use.h"
#include "heed/tensor/testing.h"

namespace heed::attention {
namespace {

using heed::testing::expect_near;
using heed::testing::message_of;
using heed::testing::wavy;

struct Given {
  Variable query, keys;
  AdditiveWeights weights;

  Given(const Tensor& q, const Tensor& k, std::int64_t size)
      : query(Variable::leaf(q)), keys(Variable::leaf(k)) {
    Random random(3);
    weights = AdditiveWeights({.query_width = q.size(3),
                               .key_width = k.size(3),
                               .heads = q.size(1),
                               .key_heads = k.size(1)},
                              size, random);
  }
  Variables leaves() const { return {query, keys, weights.v, weights.W1, weights.W2}; }
};

Variable composed(const Given& given, Activation activation) {
  return additive_scores(project_heads(given.query, given.weights.W2),
                         project_heads(given.keys, given.weights.W1), given.weights.v, activation);
}
Variable by_rows(const Given& given, Activation activation) {
  const Variable projected = project_heads(given.keys, given.weights.W1);
  return additive_row_scores({given.query, given.keys, projected.value(), given.weights},
                             activation);
}

void expect_equal(const Tensor& query, const Tensor& keys, Activation activation,
                  const Tensor& seed) {
  const Given one(query, keys, 5);
  const Given other(query, keys, 5);
  const Variable expected = composed(one, activation);
  const Variable scores = by_rows(other, activation);
  expect_near(scores.value(), expected.value(), 1e-6);
  backward(expected, seed);
  backward(scores, seed);
  for (std::size_t i = 0; i < one.leaves().size(); ++i) {
    SCOPED_TRACE(i);
    expect_near(other.leaves()[i].gradient(), one.leaves()[i].gradient(), 2e-5);
  }
}

TEST(AdditiveRowScores, EqualTheCompositionInValueAndGradients) {
  expect_equal(wavy({3, 1, 6, 4}), wavy({3, 1, 7, 2}, 1), Activation::tanh, wavy({3, 1, 6, 7}, 2));
  expect_equal(wavy({2, 4, 3, 4}), wavy({2, 2, 5, 4}, 1), Activation::gelu, wavy({2, 4, 3, 5}, 2));
  expect_equal(wavy({1, 3, 2, 4}), wavy({1, 1, 5, 4}, 1), Activation::relu, wavy({1, 3, 2, 5}, 2));
}

TEST(AdditiveRowScores, KeepANanOfAKeyWithoutGradientOutOfTheWeights) {
  Tensor keys = wavy({1, 1, 3, 2});
  keys.mutable_data()[2] = std::numeric_limits<Real>::quiet_NaN();  // key 1
  Tensor seed = wavy({1, 1, 4, 3}, 2);
  for (int q = 0; q < 4; ++q) seed.mutable_data()[3 * q + 1] = 0;
  const Given given(wavy({1, 1, 4, 2}), keys, 3);
  backward(by_rows(given, Activation::tanh), seed);
  for (const Variable& leaf : given.leaves()) {
    for (const Real gradient : leaf.gradient().values()) EXPECT_TRUE(std::isfinite(gradient));
  }
}

// Counted: the blocks of all tensors alive at the worst moment from the memory's projected keys to
// the end of backward. Not counted: query, keys, parameters, the scores and the gradients of all of
// these: they were there before, or are what remains at the end.
TEST(AdditiveRowScores, TakeLessThan8MiBBesidesInputsOutputsAndTheirGradients) {
  constexpr std::int64_t kBatch = 8, kLength = 512, kSize = 256;
  const Given given(wavy({kBatch, 1, kLength, kSize}), wavy({kBatch, 1, kLength, kSize}, 1), kSize);
  const Tensor seed = wavy({kBatch, 1, kLength, kLength}, 2);
  start_memory_peak();
  const Variable scores = by_rows(given, Activation::tanh);
  backward(scores, seed);
  const MemoryUse use = memory_use();
  const double extra = static_cast<double>(use.most_bytes - use.bytes) / (1 << 20);
  for (const Variable& leaf : given.leaves()) EXPECT_TRUE(leaf.gradient().defined());
  // The projected keys alone are 4 MiB.
  EXPECT_GT(extra, 4);
  EXPECT_LT(extra, 8);
}

TEST(AdditiveRowScores, RefuseAProjectionOfOtherKeys) {
  const Given given(wavy({1, 1, 2, 2}), wavy({1, 1, 3, 2}), 4);
  EXPECT_EQ(
      message_of([&] {
        const Tensor projected = Tensor::zeros({1, 1, 2, 4});
        additive_row_scores({given.query, given.keys, projected, given.weights}, Activation::tanh);
      }),
      "additive score: query [1,1,2,2], keys [1,1,3,2], projected [1,1,2,4], v [4], W1 "
      "[4,2] and W2 [4,2]; it takes [B,H,Q,Dq], [B,G,K,Dk], [B,G,K,S], [H,S], [G,S,Dk] and "
      "[H,S,Dq] with H a multiple of G");
}

}  // namespace
}  // namespace heed::attention
