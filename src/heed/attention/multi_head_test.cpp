// SPDX-License-Identifier: Apache-2.0
// Tests of multi-head attention: shapes, projections, grouped heads, caches.
#include "heed/attention/multi_head.h"

#include <gtest/gtest.h>

#include "heed/autograd/ops.h"
#include "heed/tensor/testing.h"

namespace heed::attention {
namespace {

using heed::testing::expect_near;
using heed::testing::message_of;
using heed::testing::wavy;

TEST(MultiHead, HasTheShapesAndParametersOfItsOptions) {
  Random random(1);
  MultiHead heads({.query_width = 8,
                   .key_width = 6,
                   .value_width = 5,
                   .output_width = 7,
                   .heads = 4,
                   .key_heads = 2,
                   .head_width = 3,
                   .head_value_width = 2},
                  random);
  const Memory memory = heads.memory(Variable(wavy({2, 6, 6})), Variable(wavy({2, 6, 5}, 1)));
  EXPECT_EQ(heads.attend(Variable(wavy({2, 3, 8})), memory).context.shape(), (Shape{2, 3, 7}));
  const auto count = nn::parameter_count(nn::parameters(heads));
  EXPECT_EQ(count, (8 * 12 + 12) + (6 * 6 + 6) + (5 * 4 + 4) + (8 * 7 + 7));
}

TEST(MultiHead, IsCalledLikeAFunctionInThePlainCase) {
  Random random(1);
  const MultiHead heads(
      {.mechanism = "scaled_dot | causal & padding", .query_width = 8, .heads = 2}, random);
  const Variable x(wavy({2, 4, 8}));
  const KeyData data{.lengths = Ids::of({2}, {4, 2})};
  expect_near(heads(x, x, x, data).value(),
              heads.attend(x, heads.memory(x, x, data)).context.value(), 0);
  EXPECT_THROW(heads(x, Variable(wavy({2, 4, 7})), x), UsageError);
}

TEST(MultiHead, IsCopiedWithWeightsOfItsOwn) {
  Random random(1);
  for (const char* mechanism : {"additive + relative_buckets | causal | entmax(learnable=true)",
                                "2x(bilinear); 2x(scaled_dot)", "linear"}) {
    MultiHead one({.mechanism = mechanism, .query_width = 8, .heads = 4}, random);
    const Variable x(wavy({2, 3, 8}));
    const std::vector<Real> before = one(x, x, x).value().values();
    MultiHead twin = nn::copy(one);
    EXPECT_EQ(twin(x, x, x).value().values(), before) << mechanism;
    for (nn::Parameter& parameter : nn::parameters(twin)) {
      parameter.variable.mutable_value().assign(
          Tensor::full(parameter.variable.shape(), Real(0.25)));
    }
    EXPECT_EQ(one(x, x, x).value().values(), before) << mechanism;
    EXPECT_NE(twin(x, x, x).value().values(), before) << mechanism;
    // Its memories are its own.
    EXPECT_THROW(twin.attend(x, one.memory(x, x)), UsageError) << mechanism;
  }
}

TEST(MultiHead, WithoutProjectionsSplitsTheInputsThemselves) {
  Random random(1);
  const MultiHead heads({.mechanism = "dot", .query_width = 4, .heads = 2, .project = false},
                        random);
  const Variable x(wavy({1, 3, 4}));
  const Tensor y = heads.attend(x, heads.memory(x, x)).context.value();
  for (std::int64_t head = 0; head < 2; ++head) {
    const Variable part(x.value().slice(2, 2 * head, 2 * head + 2));
    const Tensor expected = matmul(softmax(matmul(part, transpose(part))), part).value();
    expect_near(y.slice(2, 2 * head, 2 * head + 2), expected, 1e-6);
  }
}

TEST(MultiHead, AnswersCachedStepsLikeTheWhole) {
  Random random(1);
  const MultiHead heads(
      {.mechanism = "scaled_dot | causal", .query_width = 6, .heads = 3, .key_heads = 1}, random);
  const Tensor x = wavy({2, 4, 6});
  const Tensor whole =
      heads.attend(Variable(x), heads.memory(Variable(x), Variable(x))).context.value();
  Memory memory;
  AttentionState state;
  for (std::int64_t step = 0; step < 4; ++step) {
    const Variable now(x.slice(1, step, step + 1));
    memory = step == 0 ? heads.memory(now, now) : heads.grown(memory, now, now);
    MultiHeadResult found = heads.attend(now, memory, state);
    expect_near(found.context.value(), whole.slice(1, step, step + 1), 1e-5);
    state = found.attended.state;
  }
}

TEST(MultiHead, AnswersPackedTokensLikePaddedOnes) {
  Random random(1);
  const Ids lengths = Ids::of({2}, {4, 1});
  const nn::Packing packing(lengths, 4);
  for (const bool rotary : {false, true}) {
    MultiHeadOptions options{.mechanism = "scaled_dot | padding", .query_width = 8, .heads = 2};
    if (rotary) options.rotary.emplace();
    const MultiHead heads(options, random);
    const Variable x(wavy({2, 4, 8}));
    const Variable padded = heads.attend(x, heads.memory(x, x, {.lengths = lengths})).context;
    const Variable tokens = packing.packed(x);
    const Memory memory = heads.memory(tokens, tokens, {.lengths = lengths}, packing);
    const Variable packed = heads.attend(tokens, memory, {}, {}, packing).context;
    expect_near(packed.value(), packing.packed(padded).value(), 1e-6);
  }
}

TEST(MultiHead, SplitsAndMergesBackToTheSame) {
  const Variable x(wavy({2, 3, 8}));
  EXPECT_EQ(split_heads(x, 4).shape(), (Shape{2, 4, 3, 2}));
  expect_near(merge_heads(split_heads(x, 4)).value(), x.value(), 0);
}

TEST(MultiHead, SaysWhichWidthDoesNotDivide) {
  Random random(1);
  EXPECT_EQ(message_of([&] { MultiHead({.query_width = 100, .heads = 8}, random); }),
            "multi_head: width 100 does not divide into 8 heads");
  EXPECT_THROW(MultiHead({.query_width = 0}, random), UsageError);
}

}  // namespace
}  // namespace heed::attention
