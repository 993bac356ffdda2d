// SPDX-License-Identifier: Apache-2.0
// Whole language models against finite differences, in every parameter, a state carried on the way.
#include <gtest/gtest.h>

#include "heed/models/gpt.h"
#include "heed/models/language_testing.h"
#include "heed/models/recurrent_language_model.h"

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

}  // namespace
}  // namespace heed::models
