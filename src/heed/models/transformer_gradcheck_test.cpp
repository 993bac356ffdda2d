// SPDX-License-Identifier: Apache-2.0
// A whole Transformer against finite differences, in every parameter.
#include <gtest/gtest.h>

#include "heed/models/copying_testing.h"
#include "heed/models/testing.h"
#include "heed/models/transformer.h"

namespace heed::models {
namespace {

TransformerOptions tiny() {
  return {
      .source_vocabulary = 9,
      .target_vocabulary = 8,
      .stack = {.width = 8, .heads = 2, .inner = 12, .activation = Activation::gelu, .dropout = 0},
      .encoder_layers = 1,
      .decoder_layers = 2};
}

void check(const TransformerOptions& options) {
  Random random(5);
  Transformer model(options, random);
  // More than an eighth of both is padding, which the layers then leave out.
  const Sequences source = testing::random_sequences({4, 2}, options.source_vocabulary, random);
  const Sequences target = testing::random_sequences({3, 5}, options.target_vocabulary, random);
  testing::expect_gradients_are_slopes(model, source, target);
}

TEST(TransformerGradients, AreSlopesOfTheLossWithTheNormBefore) {
  check(tiny());
}

TEST(TransformerGradients, AreSlopesOfTheLossWithTheNormBehind) {
  TransformerOptions options = tiny();
  options.stack.norm = NormPlace::post;
  options.stack.positions = Positions::learned;
  options.stack.longest = 8;
  options.tie = Tie::none;
  check(options);
}

TEST(TransformerGradients, AreSlopesOfTheLossWithOtherMechanisms) {
  TransformerOptions options = tiny();
  options.stack.positions = Positions::rotary;
  options.encoder_attention = "scaled_dot + alibi | window(2)";
  options.stack.cross_attention = "additive | full | entmax(alpha=1.5)";
  check(options);
}

TEST(TransformerGradients, AreSlopesOfTheLossWithRelativePositions) {
  TransformerOptions options = tiny();
  options.stack.positions = Positions::relative;
  options.tie = Tie::all;
  options.source_vocabulary = options.target_vocabulary = 9;
  check(options);
}

TEST(TransformerGradients, AreSlopesOfTheLossThroughTheSentencesBefore) {
  Random random(6);
  TransformerOptions options = tiny();
  options.source_context = options.target_context = true;
  Transformer model(options, random);
  const Source source = testing::with_context(
      testing::random_sequences({4, 3}, options.source_vocabulary, random), random);
  const Sequences target = testing::random_sequences({3, 5}, options.target_vocabulary, random);
  testing::expect_gradients_are_slopes(model, source, target);
}

TEST(TransformerGradients, AreSlopesOfTheLossOfCopying) {
  Random random(5);
  Transformer model(testing::copying_transformer(), random);
  const testing::CopiedExample example = testing::copied_example();
  testing::expect_gradients_are_slopes(model, example.source, example.target);
}

}  // namespace
}  // namespace heed::models
