// SPDX-License-Identifier: Apache-2.0
// The layer's own ops and whole mechanisms against finite differences, in the build where Real is
// double.
#include "heed/autograd/gradcheck.h"

#include <gtest/gtest.h>

#include "heed/attention/biases/relative.h"
#include "heed/attention/compose/products.h"
#include "heed/attention/compose/score_change.h"
#include "heed/attention/given_testing.h"
#include "heed/attention/mechanism.h"
#include "heed/attention/multi_head.h"
#include "heed/attention/positions.h"
#include "heed/autograd/ops.h"
#include "heed/autograd/testing.h"
#include "heed/tensor/testing.h"

namespace heed::attention {
namespace {

using heed::testing::wavy;
using Args = std::span<const Variable>;

const auto* const kCoverage =
    ::testing::AddGlobalTestEnvironment(new heed::testing::GradcheckCoverage("src/heed/attention"));

void expect_exact(const std::string& what, const CheckedFunction& f,
                  const std::vector<Tensor>& inputs) {
  SCOPED_TRACE(what);
  const GradcheckResult result = gradcheck(f, inputs);
  EXPECT_TRUE(result.passed) << result.where;
}

TEST(AttentionGradcheck, HoldsForTheProducts) {
  expect_exact("dot_products", [](Args a) { return dot_products(a[0], a[1]); },
               {wavy({2, 4, 3, 5}), wavy({2, 2, 6, 5}, 1)});
  expect_exact("combine", [](Args a) { return combine(a[0], a[1]); },
               {wavy({2, 4, 3, 6}), wavy({2, 2, 6, 5}, 1)});
}

// s³/10 per score, and what a score shares with its offset.
TEST(AttentionGradcheck, HoldsForChangesOfScores) {
  const TileChange cubed = score_change(
      [](const ScoreTile& scores) {
        for (std::size_t r = 0; r < scores.rows; ++r) {
          for (std::size_t c = 0; c < scores.columns; ++c) {
            Real& s = scores.row(r)[c];
            s = s * s * s / 10;
          }
        }
      },
      [](const ScoreTileBefore& before, Real* gradient) {
        for (std::size_t r = 0; r < before.rows; ++r, gradient += before.stride) {
          for (std::size_t c = 0; c < before.columns; ++c) {
            gradient[c] *= 3 * before.row(r)[c] * before.row(r)[c] / 10;
          }
        }
      });
  expect_exact("score_change", [&](Args a) { return apply(cubed, a[0]); }, {wavy({2, 2, 3, 5})});
  const Offsets offsets(1, 3, 5, 3, [](std::int64_t offset) { return (offset + 9) % 3; });
  expect_exact("lines",
               [&](Args a) { return apply(add_lines(offset_lines(a[1], 2, offsets), 3), a[0]); },
               {wavy({2, 2, 3, 5}), wavy({2, 3}, 1)});
  expect_exact("one line", [&](Args a) { return offset_lines(a[0], 2, offsets); }, {wavy({3}, 1)});
}

TEST(AttentionGradcheck, HoldsForRotaryPositions) {
  for (const RotaryPairs pairs : {RotaryPairs::interleaved, RotaryPairs::half_split}) {
    expect_exact("rotary", [pairs](Args a) { return Rotary{.pairs = pairs}(a[0], 3); },
                 {wavy({2, 3, 6})});
  }
}

// Query, keys, values and every parameter of a mechanism; with weights by composition, else by the
// kernel that attend takes.
void expect_exact_run(const std::string& text, std::int64_t heads, const GivenData& data,
                      bool weights) {
  SCOPED_TRACE(text + (weights ? ", weights" : ", no weights"));
  Random random(5);
  Mechanism look(
      text,
      {.query_width = 4, .key_width = 4, .value_width = 3, .heads = heads, .key_heads = heads},
      random);
  nn::Parameters parameters = nn::parameters(look);
  std::vector<Tensor> inputs{wavy({2, heads, 3, 4}), wavy({2, heads, 5, 4}, 1),
                             wavy({2, heads, 5, 3}, 2)};
  for (const nn::Parameter& parameter : parameters)
    inputs.push_back(parameter.variable.value().clone());
  const GradcheckResult result = gradcheck(
      [&](Args a) {
        // The mechanism's own variables are replaced by those under study.
        std::size_t next = 3;
        nn::ParameterVisitor visitor(
            [&](const std::string&, Variable& parameter) { parameter = a[next++]; });
        look.visit(visitor);
        const Attended found = look.attend(a[0], look.memory(a[1], a[2], data.of_keys()), {},
                                           {.given = data.of_queries(), .weights = weights});
        Variables all{reshape(found.context, {-1})};
        if (weights) all.push_back(reshape(found.weights, {-1}));
        if (found.log_probability.defined()) {
          all.push_back(reshape(found.log_probability, {-1}));
          all.push_back(reshape(found.entropy, {-1}));
        }
        return concat(all, 0);
      },
      inputs);
  EXPECT_TRUE(result.passed) << result.where;
}

void expect_exact_mechanism(const std::string& text, std::int64_t heads,
                            const GivenData& data = {}) {
  expect_exact_run(text, heads, data, true);
  expect_exact_run(text, heads, data, false);
}

TEST(AttentionGradcheck, HoldsForWholeMechanismsAndEveryParameter) {
  expect_exact_mechanism("scaled_dot", 2);
  expect_exact_mechanism("scaled_dot | causal | sparsemax", 1);
  expect_exact_mechanism("bilinear | window(left=1) | entmax(alpha=1.5)", 2);
  expect_exact_mechanism("scaled_dot + relative_buckets | full | entmax(alpha=1.3, learnable=true)",
                         2);
  expect_exact_mechanism("scaled_dot + soft_cap(cap=2) | causal | topk_softmax(k=2)", 2);
  expect_exact_mechanism("additive(size=3) | padding | entmax(alpha=1.3, learnable=true)", 2,
                         {.lengths = Ids::of({2}, {3, 5})});
  expect_exact_mechanism("cosine + alibi | full | softmax(temperature=0.7)", 2);
  expect_exact_mechanism("dot + soft_cap | causal | sigmoid", 1);
  expect_exact_mechanism("1x(dot | causal); 1x(additive(size=3) | full | identity)", 2);
}

TEST(AttentionGradcheck, HoldsWhereAScoreLooksBack) {
  expect_exact_mechanism("location_aware(width=3, channels=2, size=3)", 1);
  expect_exact_mechanism("coverage(size=3)", 1);
  expect_exact_mechanism("alignment_rnn(size=3, hidden=2)", 1);
  expect_exact_mechanism("alignment_rnn(size=2, hidden=2) + alignment_rnn(size=2, hidden=3)", 1);
  expect_exact_mechanism("1x(dot); 1x(alignment_rnn(size=3, hidden=2) | causal(align=end))", 2);
}

TEST(AttentionGradcheck, HoldsForAddressing) {
  expect_exact_mechanism("cosine(strength=query) | full | softmax | interpolate | shift | sharpen",
                         2);
  expect_exact_mechanism(
      "cosine(strength=query, project=true, epsilon=1e-06) | padding | softmax | interpolate | "
      "shift(range=2) | sharpen",
      1, {.lengths = Ids::of({2}, {3, 5})});
}

TEST(AttentionGradcheck, HoldsForSequencesOfDifferentLengths) {
  const GivenData data{.lengths = Ids::of({2}, {3, 5})};
  expect_exact_mechanism("convolution(channels=3) | padding", 2, data);
  expect_exact_mechanism("dot + gaussian(width=4) | padding", 2, data);
  expect_exact_mechanism("location_aware(width=3, channels=2, size=3) | padding", 1, data);
}

TEST(AttentionGradcheck, HoldsForTheDrawOfASample) {
  // Weights do not move; log-probability and entropy do.
  expect_exact_mechanism("dot | full | sample", 1);
  expect_exact_mechanism("1x(dot); 1x(scaled_dot | full | sample)", 2);
  expect_exact_mechanism("dot | full | sample(of=\"entmax(alpha=1.3, learnable=true)\")", 1);
  expect_exact_mechanism("dot | full | sample(of=sigmoid)", 1);
}

TEST(AttentionGradcheck, HoldsForNoiseThatPassesGradientsOn) {
  expect_exact_mechanism("dot | full | hard_concrete", 1);
  expect_exact_mechanism("dot | full | gumbel_topk(temperature=0.5, hard=false)", 1);
}

TEST(AttentionGradcheck, HoldsForBoundsOfConstrainedNormalisers) {
  Random random(5);
  Mechanism look("dot | full | constrained_softmax",
                 {.query_width = 4, .key_width = 4, .value_width = 3}, random);
  Tensor bounds = Tensor::full({1, 1, 2, 5}, 0.35);
  bounds.mutable_data()[1] = 0.12;
  bounds.mutable_data()[8] = 0.1;
  const std::vector<Tensor> inputs{wavy({1, 1, 2, 4}), wavy({1, 1, 5, 4}, 1), wavy({1, 1, 5, 3}, 2),
                                   bounds};
  const GradcheckResult result = gradcheck(
      [&](Args a) {
        return look.attend(a[0], look.memory(a[1], a[2]), {}, {.given = {.bounds = a[3]}}).context;
      },
      inputs);
  EXPECT_TRUE(result.passed) << result.where;
}

TEST(AttentionGradcheck, HoldsForMultipleHeadsWithProjections) {
  Random random(5);
  MultiHead heads(
      {.mechanism = "scaled_dot | causal", .query_width = 6, .heads = 2, .key_heads = 1}, random);
  const std::vector<Tensor> inputs{wavy({2, 3, 6})};
  const GradcheckResult result = gradcheck(
      [&](Args a) { return heads.attend(a[0], heads.memory(a[0], a[0])).context; }, inputs);
  EXPECT_TRUE(result.passed) << result.where;
}

}  // namespace
}  // namespace heed::attention
