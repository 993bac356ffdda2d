// SPDX-License-Identifier: Apache-2.0
// Names, limits and help of a stack's options.
#include "heed/pipeline/transformer_options.h"

#include <utility>

namespace heed::pipeline {

void StackOptions::declare_stack(Options& options, std::string longest_help) {
  options.add("width", width, "Transformer: features of a token").range(1, 65536);
  options.add("heads", heads, "Transformer: heads of every attention").range(1, 65536);
  options
      .add("key-heads", key_heads,
           "Transformer: heads of keys and values; 0: as --heads, fewer are grouped")
      .range(0, 65536);
  options.add("inner", inner, "Transformer: features inside a feed-forward block")
      .range(1, 1 << 20);
  options.add("inner-dropout", inner_dropout, "Transformer: dropout inside feed-forward blocks")
      .at_least(0)
      .below(1);
  options.add("activation", activation,
              {"none", "relu", "gelu", "gelu_tanh", "tanh", "sigmoid", "swish"},
              "Transformer: of feed-forward blocks");
  options.add("norm", norm, {"pre", "post"},
              "Transformer: layer norm before each sublayer, or after it as published");
  options.add("positions", positions, models::positions_names(),
              "Transformer: the positional encoding");
  options.add("longest", longest, std::move(longest_help)).range(1, 1 << 20);
}

models::TransformerStackOptions StackOptions::stack() const {
  return {.width = width,
          .heads = heads,
          .key_heads = key_heads,
          .inner = inner,
          .activation = activation,
          .norm = norm,
          .positions = positions,
          .longest = longest,
          .inner_dropout = static_cast<Real>(inner_dropout)};
}

}  // namespace heed::pipeline
