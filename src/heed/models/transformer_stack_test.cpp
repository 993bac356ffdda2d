// SPDX-License-Identifier: Apache-2.0
#include "heed/models/transformer_stack.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/models/testing.h"

namespace heed::models {
namespace {

constexpr std::int64_t kWords = 13;

TransformerStackOptions tiny_stack() {
  return {.width = 16, .heads = 4, .inner = 24, .layers = 2, .dropout = 0};
}

struct StackExample {
  explicit StackExample(const TransformerStackOptions& options) : stack(options, random) {}

  Variable read(const Ids& ids, const TransformerStack::Input& input,
                std::int64_t first = 0) const {
    return stack(stack.embed(words, ids, first, {}), input, {});
  }

  Random random{3};
  nn::Embedding words{kWords, 16, random};
  TransformerStack stack;
  Sequences text = testing::random_sequences({6, 3}, kWords, random);
};

TEST(TransformerStack, DoesNotSeePadding) {
  const StackExample example(tiny_stack());
  const Sequences second = testing::row_of(example.text, 1);
  const Tensor padded = example.read(example.text.ids, {.lengths = example.text.lengths}).value();
  const Tensor alone = example.read(second.ids, {.lengths = second.lengths}).value();
  EXPECT_LE(testing::largest_difference(padded.slice(0, 1, 2).slice(1, 0, 3).clone(), alone), 1e-6);
}

TEST(TransformerStack, SeesTheFutureOnlyWhereItIsNotCausal) {
  for (const bool causal : {false, true}) {
    TransformerStackOptions options = tiny_stack();
    options.causal = causal;
    const StackExample example(options);
    const Tensor whole = example.read(example.text.ids, {}).value();
    const Tensor begun = example.read(example.text.ids.slice(1, 0, 4).clone(), {}).value();
    const double change = testing::largest_difference(whole.slice(1, 0, 4).clone(), begun);
    if (causal) {
      EXPECT_LE(change, 1e-6);
    } else {
      EXPECT_GT(change, 1e-3);
    }
  }
}

TEST(TransformerStack, GoesOnFromItsPastAsIfItHadReadAllAtOnce) {
  for (const Positions positions : {Positions::sinusoidal, Positions::learned, Positions::rotary,
                                    Positions::relative, Positions::none}) {
    TransformerStackOptions options = tiny_stack();
    options.causal = true;
    options.positions = positions;
    const StackExample example(options);
    const NoGradient no_graph;
    const Tensor whole = example.read(example.text.ids, {}).value();
    std::vector<LayerPast> pasts(example.stack.size());
    // Two tokens, then one, then three.
    std::int64_t first = 0;
    for (const std::int64_t end : {2, 3, 6}) {
      const Tensor part =
          example.read(example.text.ids.slice(1, first, end).clone(), {.pasts = pasts}, first)
              .value();
      EXPECT_LE(testing::largest_difference(whole.slice(1, first, end).clone(), part), 1e-5)
          << static_cast<int>(positions) << " from " << first;
      first = end;
    }
  }
}

// Tokens through the layers alone: what embed() drops has no part in it.
Tensor read_with(const TransformerStackOptions& options, nn::Noise noise) {
  Random random(5);
  const TransformerStack stack(options, random);
  Tensor x({2, 5, 16});
  fill_normal(std::span(x.mutable_data(), static_cast<std::size_t>(x.size())), random);
  return stack(Variable(x), {}, {.noise = noise}).value();
}

TEST(TransformerStack, DropsWeightsAndResultsOfSublayersEachByItsOwnOption) {
  for (const NormPlace norm : {NormPlace::pre, NormPlace::post}) {
    for (double TransformerStackOptions::*share :
         {&TransformerStackOptions::dropout, &TransformerStackOptions::attention_dropout,
          &TransformerStackOptions::inner_dropout}) {
      TransformerStackOptions options = tiny_stack();
      options.layers = 1;
      options.norm = norm;
      const Tensor plain = read_with(options, nullptr);
      Random first(1), again(1), second(2);
      EXPECT_EQ(read_with(options, &first).values(), plain.values());  // nothing is to be dropped
      options.*share = .5;
      EXPECT_EQ(read_with(options, nullptr).values(), plain.values());
      const Tensor dropped = read_with(options, &first);
      EXPECT_GT(testing::largest_difference(dropped, plain), 1e-2);
      EXPECT_EQ(read_with(options, &again).values(), dropped.values());
      EXPECT_GT(testing::largest_difference(read_with(options, &second), dropped), 1e-2);
    }
  }
}

TEST(TransformerStack, NamesItsParametersLayerByLayer) {
  StackExample example(tiny_stack());
  const nn::Parameters parameters = nn::parameters(example.stack);
  EXPECT_EQ(parameters.front().name, "layers.0.self_norm.gain");
  EXPECT_EQ(parameters.back().name, "norm.bias");
}

TEST(TransformerStack, RefusesWhatCannotBeBuilt) {
  Random random(1);
  TransformerStackOptions odd = tiny_stack();
  odd.heads = 3;
  EXPECT_THROW(TransformerStack(odd, random), UsageError);
  TransformerStackOptions none = tiny_stack();
  none.layers = 0;
  EXPECT_THROW(TransformerStack(none, random), UsageError);
  TransformerStackOptions reader = tiny_stack();
  reader.cross = true;
  const StackExample example(reader);
  EXPECT_THROW(example.read(example.text.ids, {}), UsageError);
}

TEST(TransformerStack, RefusesWeightsOfAllQueriesAtOnceWhereTheFutureIsHidden) {
  Random random(1);
  TransformerStackOptions options{.name = "gpt", .width = 8, .heads = 2, .inner = 8, .layers = 1};
  options.attention = "scaled_dot | full | sinkhorn";
  EXPECT_NO_THROW(TransformerStack(options, random));
  options.causal = true;
  EXPECT_THROW(TransformerStack(options, random), UsageError);
  options.attention = "scaled_dot";
  options.cross = true;
  options.cross_attention = "scaled_dot | full | sinkhorn";
  EXPECT_THROW(TransformerStack(options, random), UsageError);
}

}  // namespace
}  // namespace heed::models
