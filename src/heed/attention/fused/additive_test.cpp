// SPDX-License-Identifier: Apache-2.0
// Fused additive attention equals its composition, in values and gradients, and needs no memory of
// the size of the scores.
#include "heed/attention/fused/additive.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "heed/attention/given_testing.h"
#include "heed/attention/mechanism.h"
#include "heed/base/threads.h"
#include "heed/nn/module.h"
#include "heed/tensor/allocator.h"
#include "heed/tensor/testing.h"

namespace heed::attention {
namespace {

using heed::testing::expect_near;
using heed::testing::message_of;
using heed::testing::wavy;

struct AdditiveSizes {
  std::int64_t batch, heads, key_heads, queries, keys;
  std::int64_t width = 5, value_width = 7;
  std::string text() const {
    return fmt::format("B{} H{} G{} Q{} K{} D{} V{}", batch, heads, key_heads, queries, keys, width,
                       value_width);
  }
};

struct AdditiveOutcome {
  Tensor context;
  Tensor log_sum_exp;
  std::vector<Tensor> gradients;  // of query, keys, values and parameters
};

AdditiveOutcome run_additive(const std::string& text, const AdditiveSizes& sizes,
                             AttendOptions options, const GivenData& data = {}) {
  Random random(3);
  Random noise(4);
  options.noise = &noise;
  Mechanism look(text,
                 {.query_width = sizes.width,
                  .key_width = sizes.width,
                  .value_width = sizes.value_width,
                  .heads = sizes.heads,
                  .key_heads = sizes.key_heads},
                 random);
  const auto leaf = [](const Shape& shape, double phase) {
    return Variable::leaf(wavy(shape, phase));
  };
  const Variable query = leaf({sizes.batch, sizes.heads, sizes.queries, sizes.width}, 1);
  const Variable keys = leaf({sizes.batch, sizes.key_heads, sizes.keys, sizes.width}, 2);
  const Variable values = leaf({sizes.batch, sizes.key_heads, sizes.keys, sizes.value_width}, 3);
  options.given = data.of_queries();
  const Attended found = look.attend(query, look.memory(keys, values, data.of_keys()), {}, options);
  if (found.context.value().size() > 0) {
    backward(found.context, wavy(found.context.shape(), 4));
  }
  AdditiveOutcome result{found.context.value(),
                         found.log_sum_exp,
                         {query.gradient(), keys.gradient(), values.gradient()}};
  for (const nn::Parameter& parameter : nn::parameters(look)) {
    result.gradients.push_back(parameter.variable.gradient());
  }
  return result;
}

void expect_same_additive(const std::string& text, const AdditiveSizes& sizes,
                          AttendOptions options = {}, const GivenData& data = {}) {
  SCOPED_TRACE(text + ", " + sizes.text());
  options.fuse = true;
  const AdditiveOutcome fused = run_additive(text, sizes, options, data);
  options.fuse = false;
  const AdditiveOutcome composed = run_additive(text, sizes, options, data);
  expect_near(fused.context, composed.context, 1e-5);
  ASSERT_EQ(fused.gradients.size(), composed.gradients.size());
  for (std::size_t i = 0; i < fused.gradients.size(); ++i) {
    SCOPED_TRACE("gradient " + std::to_string(i));
    ASSERT_EQ(fused.gradients[i].defined(), composed.gradients[i].defined());
    if (!fused.gradients[i].defined()) continue;
    Real most = 1;
    for (const Real x : composed.gradients[i].values()) most = std::max(most, std::abs(x));
    expect_near(fused.gradients[i], composed.gradients[i], 2e-5 * static_cast<double>(most));
  }
}

TEST(AdditiveAttention, EqualsItsCompositionForEveryPattern) {
  for (const char* pattern :
       {"full", "causal", "causal(align=end)", "window(3)", "dilated(window=3, step=2)",
        "strided(stride=4)", "(window(2) | globals(2))", "block(4)"}) {
    for (const AdditiveSizes& sizes : {AdditiveSizes{2, 1, 1, 9, 13}, AdditiveSizes{2, 4, 2, 6, 11},
                                       AdditiveSizes{1, 3, 1, 1, 5}}) {
      expect_same_additive(std::string("additive(size=6) | ") + pattern, sizes);
    }
  }
}

TEST(AdditiveAttention, EqualsItsCompositionForEveryActivation) {
  for (const char* activation : {"tanh", "relu", "sigmoid", "gelu", "swish"}) {
    expect_same_additive(fmt::format("additive(size=17, activation={})", activation),
                         {2, 2, 1, 4, 9});
  }
}

TEST(AdditiveAttention, EqualsItsCompositionInManyBlocks) {
  expect_same_additive("additive(size=3) | window(40)",
                       {3, 1, 1, 300, 400});  // batch rows by the block
  expect_same_additive("additive(size=3) | causal", {1, 2, 1, 700, 600});  // queries by the block
  expect_same_additive("additive(size=3)", {2, 4, 2, 90, 3000});
}

TEST(AdditiveAttention, EqualsItsCompositionAtATemperature) {
  expect_same_additive("additive(size=6) | full | softmax(temperature=0.5)", {2, 2, 1, 4, 9});
}

TEST(AdditiveAttention, GivesZerosWhereNoKeyIsAllowed) {
  const GivenData lengths{.lengths = Ids::of({2}, {0, 3})};
  expect_same_additive("additive(size=6) | padding", {2, 2, 1, 4, 9}, {}, lengths);
  const AdditiveOutcome found =
      run_additive("additive(size=6) | padding", {2, 2, 1, 4, 9}, {}, lengths);
  for (std::int64_t i = 0; i < 2 * 4 * 7; ++i) ASSERT_EQ(found.context.data()[i], 0);
  expect_same_additive("additive(size=6)", {2, 2, 1, 4, 0});
  expect_same_additive("additive(size=6)", {2, 2, 1, 0, 4});
}

TEST(AdditiveAttention, GivesTheLogSumExpOfTheScores) {
  const AdditiveSizes sizes{2, 2, 1, 4, 9};
  const AttendOptions fused{.log_sum_exp = true}, composed{.log_sum_exp = true, .fuse = false};
  expect_near(run_additive("additive(size=6) | causal", sizes, fused).log_sum_exp,
              run_additive("additive(size=6) | causal", sizes, composed).log_sum_exp, 1e-5);
}

struct Direct {
  Variable query = Variable::leaf(wavy({2, 2, 3, 4}));
  Variable keys = Variable::leaf(wavy({2, 1, 6, 4}, 1));
  Variable v = Variable::leaf(wavy({2, 4}, 2));
  Variable values = Variable::leaf(wavy({2, 1, 6, 5}, 3));
  AdditiveInputs inputs() const {
    const auto pattern = Catalogue<NamedPattern>::find("causal")->make();
    return {.query = query,
            .keys = keys,
            .v = v,
            .values = values,
            .pattern = pattern->bind({.batch = 2, .heads = 2, .queries = 3, .keys = 6})};
  }
};

TEST(AdditiveAttention, DropsTheSameWeightsAsItsComposition) {
  const auto gradients = [](bool fused) {
    const Direct direct;
    AdditiveInputs inputs = direct.inputs();
    inputs.dropout = {.probability = Real(0.4), .seed = 5, .stream = 6};
    const Variable context =
        fused ? additive_attention(inputs)->context : composed_additive_attention(inputs).context;
    backward(context, wavy(context.shape(), 4));
    return std::vector{context.value(), direct.query.gradient(), direct.keys.gradient(),
                       direct.v.gradient(), direct.values.gradient()};
  };
  const std::vector<Tensor> fused = gradients(true), composed = gradients(false);
  for (std::size_t i = 0; i < fused.size(); ++i) expect_near(fused[i], composed[i], 1e-5);
}

TEST(AdditiveAttention, LeavesInfiniteContextsToTheComposition) {
  Direct direct;
  direct.values.mutable_value().mutable_data()[0] = std::numeric_limits<Real>::infinity();
  EXPECT_FALSE(additive_attention(direct.inputs()).has_value());
}

TEST(AdditiveAttention, LetsNothingOutOfMaskedKeys) {
  // Queries 0 to 2 never see key 5: a NaN there reaches no context and no gradient.
  for (const bool in_values : {false, true}) {
    Random random(3);
    Mechanism look("additive(size=4) | causal",
                   {.query_width = 5, .key_width = 5, .value_width = 7}, random);
    Tensor keys = wavy({1, 1, 6, 5}), values = wavy({1, 1, 6, 7});
    (in_values ? values : keys).mutable_data()[5 * (in_values ? 7 : 5)] =
        std::numeric_limits<Real>::quiet_NaN();
    const Variable query = Variable::leaf(wavy({1, 1, 3, 5}, 1));
    const Variable key_leaf = Variable::leaf(keys);
    const Variable context = look.attend(query, look.memory(key_leaf, values)).context;
    backward(context, wavy(context.shape(), 2));
    for (const Real x : context.value().values()) EXPECT_TRUE(std::isfinite(x));
    for (const Real x : query.gradient().values()) EXPECT_TRUE(std::isfinite(x));
  }
}

TEST(AdditiveAttention, GivesTheSameBitsWhateverTheThreads) {
  std::vector<std::vector<Real>> found;
  for (const int threads : {1, 2}) {
    ThreadScope scope(threads);
    const AdditiveOutcome outcome =
        run_additive("additive(size=8) | causal", {1, 2, 1, 700, 600}, {});
    found.push_back(outcome.gradients[0].values());
    const std::vector<Real> context = outcome.context.values();
    found.back().insert(found.back().end(), context.begin(), context.end());
  }
  EXPECT_EQ(found[0], found[1]);
}

TEST(AdditiveAttention, RefusesShapesThatDiffer) {
  Direct direct;
  direct.values = Variable(wavy({2, 1, 5, 5}));
  EXPECT_EQ(message_of([&] { additive_attention(direct.inputs()); }),
            "additive attention: query [2,2,3,4], keys [2,1,6,4], v [2,4] and values [2,1,5,5]; it "
            "takes [B,H,Q,S], [B,G,K,S] with H a multiple of G, [H,S] and [B,G,K,V]");
}

// Bytes that forward and backward have given back, with inputs, outputs and gradients alive.
std::uint64_t extra_bytes(bool fused) {
  constexpr std::int64_t kBatch = 8, kLength = 512, kSize = 256;
  ThreadScope one(1);
  const auto pattern = Catalogue<NamedPattern>::find("full")->make();
  const AdditiveInputs inputs{
      .query = Variable::leaf(wavy({kBatch, 1, kLength, kSize})),
      .keys = Variable::leaf(wavy({kBatch, 1, kLength, kSize}, 1)),
      .v = Variable::leaf(wavy({kSize}, 2)),
      .values = Variable::leaf(wavy({kBatch, 1, kLength, 64}, 3)),
      .pattern = pattern->bind({.batch = kBatch, .heads = 1, .queries = kLength, .keys = kLength})};
  const Tensor seed = wavy({kBatch, 1, kLength, 64}, 4);
  release_cached_blocks();
  const Variable context =
      fused ? additive_attention(inputs)->context : composed_additive_attention(inputs).context;
  backward(context, seed);
  return allocator_statistics().bytes_cached;
}

TEST(AdditiveAttention, NeedsNoMemoryOfTheSizeOfTheScores) {
  constexpr std::uint64_t kMebibyte = 1 << 20;
  EXPECT_LT(extra_bytes(true), 8 * kMebibyte);
  EXPECT_GT(extra_bytes(false), 16 * kMebibyte);
}

}  // namespace
}  // namespace heed::attention
