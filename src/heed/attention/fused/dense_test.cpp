// SPDX-License-Identifier: Apache-2.0
// The fused kernel equals its composition: values and gradients over a random sweep of shapes,
// patterns, biases, groups of heads and layouts.
#include "heed/attention/fused/dense.h"

#include <gtest/gtest.h>

#include <cmath>

#include "heed/attention/fused/testing.h"
#include "heed/attention/given_testing.h"
#include "heed/base/threads.h"

namespace heed::attention {
namespace {

TEST(DenseAttention, EqualsItsCompositionForEveryBiasAndPattern) {
  Random random(11);
  std::uint64_t seed = 0;
  for (const std::string& terms : kTerms) {
    for (const std::string& pattern : kPatterns) {
      expect_equal(terms + " | " + pattern, any_sizes(random), ++seed);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(DenseAttention, EqualsItsCompositionUnderDropoutAndTemperature) {
  Random random(12);
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    expect_equal("scaled_dot + soft_cap(cap=2) | causal | softmax(temperature=0.7)",
                 any_sizes(random), seed, {}, {.dropout = Real(0.3)});
    expect_equal("scaled_dot | full | softmax(temperature=2)", any_sizes(random), seed, {},
                 {.dropout = Real(0.1)});
  }
}

TEST(DenseAttention, EqualsItsCompositionOverLengthsAndGivenMasks) {
  Random random(13);
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    const Sizes sizes = any_sizes(random);
    GivenData data;
    std::vector<std::int32_t> lengths;
    for (std::int64_t b = 0; b < sizes.batch; ++b) {
      lengths.push_back(
          static_cast<std::int32_t>(random.integer(static_cast<std::uint64_t>(sizes.keys) + 1)));
    }
    data.lengths = Ids::of({sizes.batch}, lengths);
    Tensor mask({sizes.batch, 1, sizes.queries, sizes.keys});
    Tensor bias(mask.shape());
    Real* allowed = mask.mutable_data();
    Real* more = bias.mutable_data();
    for (std::int64_t i = 0; i < mask.size(); ++i) {
      allowed[i] = static_cast<Real>(random.integer(3) != 0);
      more[i] = static_cast<Real>(random.normal());
    }
    expect_equal("scaled_dot | padding & causal", sizes, seed, data);
    expect_equal("scaled_dot | padding(of=both)", sizes, seed, data);
    data.mask = mask;
    data.bias = bias;
    expect_equal("scaled_dot + tensor | padding & tensor", sizes, seed, data);
  }
}

TEST(DenseAttention, EqualsItsCompositionForLongRowsAndEveryWidth) {
  expect_equal("scaled_dot | causal", {1, 1, 1, 700, 1300, 64, 64}, 1);
  expect_equal("scaled_dot + alibi | window(300)", {1, 2, 1, 600, 1100, 48, 80}, 2);
  for (const std::int64_t width :
       {1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 128, 256}) {
    expect_equal("scaled_dot | causal", {1, 2, 2, 37, 41, width, width}, 3);
    expect_equal("scaled_dot", {1, 2, 1, 13, 130, width, 5}, 4);
    expect_equal("scaled_dot", {1, 1, 1, 13, 130, 5, width}, 4);
  }
}

TEST(DenseAttention, GivesTheSameBitsForTheSameThreads) {
  for (const int threads : {1, 2, 3}) {
    const ThreadScope scope(threads);
    const Sizes sizes{1, 2, 1, 300, 310, 24, 24};
    const Outcome first = run("scaled_dot | causal", sizes, 5, {}, {});
    const Outcome second = run("scaled_dot | causal", sizes, 5, {}, {});
    expect_near(first.context, second.context, 0);
    for (std::size_t i = 0; i < 3; ++i) expect_near(first.gradients[i], second.gradients[i], 0);
    expect_equal("scaled_dot | causal", sizes, 5);
    expect_equal("scaled_dot + relative_buckets", {3, 2, 1, 60, 50, 24, 24}, 6);
  }
}

TEST(DenseAttention, GivesZerosWhereNoKeyIsAllowed) {
  const Ids lengths = Ids::of({2}, {0, 3});
  const Outcome fused =
      run("scaled_dot | padding", {2, 1, 1, 4, 9, 8, 8}, 2, {.lengths = lengths}, {});
  expect_near(fused.context.slice(0, 0, 1), Tensor::zeros({1, 1, 4, 8}), 0);
  expect_near(fused.gradients[0].slice(0, 0, 1), Tensor::zeros({1, 1, 4, 8}), 0);
  expect_equal("scaled_dot | padding", {2, 1, 1, 4, 9, 8, 8}, 2, {.lengths = lengths});
  expect_equal("scaled_dot", {2, 1, 1, 4, 1, 8, 8}, 2);
}

TEST(DenseAttention, TakesEmptyBatchesAndNoKeys) {
  expect_equal("scaled_dot", {0, 2, 1, 4, 5, 8, 8}, 2);
  expect_equal("scaled_dot", {2, 2, 1, 4, 0, 8, 8}, 2);
}

// A NaN behind the mask reaches no result; one in front of it reaches those who see it.
TEST(DenseAttention, KeepsAMaskedNanToItself) {
  Random random(1);
  const Mechanism look("scaled_dot | causal", {.query_width = 8, .key_width = 8, .value_width = 8},
                       random);
  Tensor values = wavy({1, 1, 20, 8}, 1).clone();
  for (std::int64_t i = 15 * 8; i < values.size(); ++i) values.mutable_data()[i] = NAN;
  const Variable query = Variable::leaf(wavy({1, 1, 20, 8}, 2));
  const Variable keys = Variable::leaf(wavy({1, 1, 20, 8}));
  const Tensor context = look.attend(query, look.memory(keys, Variable(values))).context.value();
  for (std::int64_t q = 0; q < 20; ++q) {
    for (std::int64_t i = 0; i < 8; ++i) EXPECT_EQ(std::isnan(context.at({0, 0, q, i})), q >= 15);
  }
}

TEST(DenseAttention, StaysFiniteAtAnyScaleOfScores) {
  Random random(1);
  for (const double scale : {1e-30, 1e-3, 1e3, 1e15, 1e30}) {
    for (const char* more : {"", " + alibi", " | causal"}) {
      const Mechanism look(fmt::format("scaled_dot(scale={}){}", scale, more),
                           {.query_width = 8, .key_width = 8, .value_width = 8}, random);
      const Variable query = Variable::leaf(wavy({1, 1, 40, 8}, 2));
      const Variable context = look.attend(query, look.memory(Variable(wavy({1, 1, 40, 8})),
                                                              Variable(wavy({1, 1, 40, 8}, 1))))
                                   .context;
      backward(context, Tensor::full(context.shape(), 1));
      for (const Real x : context.value().values()) EXPECT_TRUE(std::isfinite(x));
      for (const Real x : query.gradient().values()) EXPECT_TRUE(std::isfinite(x));
    }
  }
}

TEST(DenseAttention, LiesInMemoryAsItsQuery) {
  Random random(1);
  const Mechanism look(
      "scaled_dot",
      {.query_width = 8, .key_width = 8, .value_width = 8, .heads = 3, .key_heads = 3}, random);
  const Variable rows(wavy({2, 5, 3, 8}).transpose(1, 2));
  const Tensor context = look.attend(rows, look.memory(rows, rows)).context.value();
  EXPECT_EQ(context.stride(1), 8);
  EXPECT_EQ(context.stride(2), 24);
}

}  // namespace
}  // namespace heed::attention
