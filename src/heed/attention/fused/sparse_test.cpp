// SPDX-License-Identifier: Apache-2.0
// The sparse fused kernels equal their composition: values and gradients, that of alpha included,
// over a random sweep of shapes, patterns, biases, groups of heads and layouts.
#include "heed/attention/fused/sparse.h"

#include <gtest/gtest.h>

#include <cmath>

#include "heed/attention/fused/testing.h"
#include "heed/base/threads.h"

namespace heed::attention {
namespace {

const std::vector<std::string> kNormalisers{"sparsemax",
                                            "entmax(alpha=1.5)",
                                            "entmax(alpha=1.25)",
                                            "entmax(alpha=1.5, learnable=true)",
                                            "entmax(alpha=2.2, highest=3, learnable=true)",
                                            "topk_softmax(k=3)"};

TEST(SparseAttention, EqualsItsCompositionForEveryBiasAndPattern) {
  Random random(21);
  std::uint64_t seed = 0;
  for (const std::string& terms : kTerms) {
    for (const std::string& pattern : kPatterns) {
      const std::string& normaliser = kNormalisers[seed % kNormalisers.size()];
      expect_equal(terms + " | " + pattern + " | " + normaliser, any_sizes(random), ++seed);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(SparseAttention, EqualsItsCompositionUnderDropout) {
  Random random(22);
  std::uint64_t seed = 0;
  for (const std::string& normaliser : kNormalisers) {
    expect_equal("scaled_dot | causal | " + normaliser, any_sizes(random), ++seed, {},
                 {.dropout = Real(0.3)});
  }
}

// More keys than a strip of scores holds at a time.
TEST(SparseAttention, EqualsItsCompositionForLongRows) {
  for (const std::string& normaliser : kNormalisers) {
    expect_equal("scaled_dot | full | " + normaliser, {1, 1, 1, 20, 5000, 16, 16}, 1);
    expect_equal("scaled_dot + alibi | causal | " + normaliser, {1, 2, 1, 600, 700, 16, 16}, 2);
  }
}

TEST(SparseAttention, EqualsItsCompositionWhateverTheThreads) {
  for (const int threads : {1, 2, 3}) {
    const ThreadScope scope(threads);
    for (const std::string& normaliser : kNormalisers) {
      expect_equal("scaled_dot | window(30) | " + normaliser, {1, 2, 1, 200, 210, 24, 24}, 5);
    }
  }
}

TEST(SparseAttention, GivesZerosWhereNoKeyIsAllowed) {
  for (const std::string& normaliser : kNormalisers) {
    expect_equal("scaled_dot | padding | " + normaliser, {2, 1, 1, 4, 9, 8, 8}, 2,
                 {.lengths = Ids::of({2}, {0, 3})});
  }
}

// Equal scores give every key a weight, so that no support is worth keeping.
TEST(SparseAttention, HoldsForEqualScores) {
  Random random(1);
  const Mechanism look("scaled_dot | full | entmax(alpha=1.5)",
                       {.query_width = 4, .key_width = 4, .value_width = 4}, random);
  const Variable query = Variable::leaf(Tensor::zeros({1, 1, 300, 4}));
  const Variable values = Variable::leaf(wavy({1, 1, 300, 4}));
  const Memory memory = look.memory(Variable(wavy({1, 1, 300, 4}, 1)), values);
  const Variable context = look.attend(query, memory).context;
  backward(context, Tensor::full(context.shape(), 1));
  expect_near(values.gradient(), Tensor::full(values.shape(), 1), 1e-4);
}

TEST(SparseAttention, KeepsAMaskedNanToItself) {
  Random random(1);
  const Mechanism look("scaled_dot | causal | sparsemax",
                       {.query_width = 8, .key_width = 8, .value_width = 8}, random);
  Tensor values = wavy({1, 1, 20, 8}, 1).clone();
  for (std::int64_t i = 15 * 8; i < values.size(); ++i) values.mutable_data()[i] = NAN;
  const Variable query = Variable::leaf(wavy({1, 1, 20, 8}, 2));
  const Tensor context =
      look.attend(query, look.memory(Variable(wavy({1, 1, 20, 8})), Variable(values)))
          .context.value();
  for (std::int64_t i = 0; i < 15 * 8; ++i) EXPECT_TRUE(std::isfinite(context.values()[i]));
}

}  // namespace
}  // namespace heed::attention
