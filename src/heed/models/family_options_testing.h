// SPDX-License-Identifier: Apache-2.0
// Stacks with the options of published families, small, for tests.
#pragma once

#include "heed/models/transformer_stack_options.h"

namespace heed::models::testing {

inline TransformerStackOptions small_stack() {
  TransformerStackOptions stack;
  stack.width = 16;
  stack.heads = 2;
  stack.inner = 24;
  stack.layers = 2;
  stack.dropout = 0;
  return stack;
}

inline TransformerStackOptions llama_stack() {
  TransformerStackOptions stack = small_stack();
  stack.key_heads = 1;
  stack.head_width = 6;
  stack.gated = true;
  stack.activation = Activation::swish;
  stack.feed_bias = false;
  stack.attention_bias = Biases::inputs;
  stack.norm_kind = nn::NormKind::rms;
  stack.norm_epsilon = 1e-6;
  stack.scaled_embeddings = false;
  stack.positions = Positions::rotary;
  stack.rotary.pairs = attention::RotaryPairs::half_split;
  stack.rotary.base = 500;
  stack.rotary.scaling = {
      .kind = attention::RotaryScaling::Kind::llama3, .factor = 8, .original = 16};
  stack.attention = "scaled_dot | window(left=3, right=0)";
  return stack;
}

inline TransformerStackOptions bert_stack() {
  TransformerStackOptions stack = small_stack();
  stack.norm = NormPlace::post;
  stack.norm_epsilon = 1e-12;
  stack.scaled_embeddings = false;
  stack.segments = 2;
  stack.embedding_norm = true;
  stack.positions = Positions::learned;
  stack.longest = 12;
  return stack;
}

inline TransformerStackOptions t5_stack() {
  TransformerStackOptions stack = small_stack();
  stack.norm_kind = nn::NormKind::rms;
  stack.attention_bias = Biases::none;
  stack.feed_bias = false;
  stack.scaled_embeddings = false;
  stack.positions = Positions::relative;
  stack.relative_buckets = 8;
  stack.relative_distance = 16;
  stack.relative_shared = true;
  return stack;
}

}  // namespace heed::models::testing
