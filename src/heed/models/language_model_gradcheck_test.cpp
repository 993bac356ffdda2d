// SPDX-License-Identifier: Apache-2.0
// Whole language models against finite differences, in every parameter, a state carried on the way.
#include <gtest/gtest.h>

#include "heed/attention/draws.h"
#include "heed/models/gpt.h"
#include "heed/models/language_testing.h"
#include "heed/models/recurrent_language_model.h"
#include "heed/models/transformer_xl.h"

namespace heed::models {
namespace {

void check(const RecurrentLanguageModelOptions& options) {
  Random random(5);
  RecurrentLanguageModel model(options, random);
  testing::expect_gradients_are_slopes(model, 6);
}

TEST(RecurrentLanguageModelGradients, AreSlopesOfTheLoss) {
  for (const nn::Cell cell : {nn::Cell::tanh, nn::Cell::lstm, nn::Cell::gru}) {
    check({.vocabulary = 7, .cell = cell, .embedding = 6, .hidden = 5});
  }
}

TEST(RecurrentLanguageModelGradients, AreSlopesOfTheLossWithAttentionOverHistory) {
  for (const Composition composition : {Composition::concat, Composition::sum, Composition::gate}) {
    check({.vocabulary = 7,
           .embedding = 5,
           .hidden = 5,
           .layers = 1,
           .attention = composition == Composition::gate ? "additive" : "bilinear",
           .span = 3,
           .composition = composition,
           .tie = Tie::none});
  }
}

TEST(GptGradients, AreSlopesOfTheLoss) {
  GptOptions options{.vocabulary = 7, .context = 6};
  options.stack.width = 8;
  options.stack.heads = 2;
  options.stack.inner = 12;
  options.stack.layers = 2;
  options.stack.dropout = 0;
  Random random(5);
  Gpt model(options, random);
  testing::expect_gradients_are_slopes(model, 6);
}

TransformerXlOptions short_segments(CompressionKind compression) {
  TransformerXlOptions options{
      .vocabulary = 7, .segment = 6, .memory = 6, .compression = compression, .rate = 2};
  options.stack.width = 8;
  options.stack.heads = 2;
  options.stack.inner = 12;
  options.stack.layers = 2;
  options.stack.dropout = 0;
  return options;
}

TEST(TransformerXlGradients, AreSlopesOfTheLossWithinASegment) {
  Random random(5);
  TransformerXl model(short_segments(CompressionKind::none), random);
  testing::expect_gradients_are_slopes(model, 6);
}

TEST(TransformerXlGradients, AreSlopesOfTheLossAfterAMemoryThatStays) {
  Random random(5);
  TransformerXl model(short_segments(CompressionKind::mean), random);
  const DecoderState before =
      model.read(model.start(2), testing::random_tokens({2, 18}, 7, random), {}).state.detached();
  const Ids tokens = testing::random_tokens({2, 6}, 7, random);
  const Ids targets = testing::random_tokens({12}, 7, random);
  testing::expect_slopes(nn::parameters(model), [&] {
    return cross_entropy(reshape(model.logits(model.read(before, tokens, {}).hidden), {12, 7}),
                         targets);
  });
}

TEST(TransformerXlGradients, AreSlopesOfWhatACompressionLoses) {
  for (const CompressionKind kind : {CompressionKind::convolution, CompressionKind::dilated}) {
    Random random(5);
    TransformerXl model(short_segments(kind), random);
    const DecoderState before =
        model.read(model.start(2), testing::random_tokens({2, 6}, 7, random), {}).state.detached();
    const Ids tokens = testing::random_tokens({2, 6}, 7, random);
    nn::Parameters compression;
    for (const nn::Parameter& parameter : nn::parameters(model)) {
      if (parameter.name.starts_with("compression")) compression.push_back(parameter);
    }
    ASSERT_FALSE(compression.empty());
    testing::expect_slopes(compression, [&] {
      attention::Draws draws;
      Random noise(1);
      model.read(before, tokens, {.noise = &noise, .watch = &draws});
      return draws.penalty();
    });
  }
}

}  // namespace
}  // namespace heed::models
