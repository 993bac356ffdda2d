// SPDX-License-Identifier: Apache-2.0
// Names, limits and help of a stack's options.
#include "heed/models/transformer_stack_options.h"

namespace heed::models {

const std::vector<PositionsCard>& positions_cards() {
  static const std::vector<PositionsCard> cards = {
      {"sinusoidal", "sines of the position, added to the embeddings"},
      {"learned"},
      {"rotary", "queries and keys turned by their position"},
      {"relative"},
      {"none"}};
  return cards;
}

std::vector<std::string> positions_names() {
  std::vector<std::string> names;
  for (const PositionsCard& card : positions_cards()) names.push_back(card.name);
  return names;
}

const std::vector<std::string>& norm_place_names() {
  static const std::vector<std::string> names = {"pre", "post"};
  return names;
}

void TransformerStackOptions::declare(Options& options, const std::string& longest_help) {
  options.section("Dropout");
  options.add("dropout", dropout, "share of units dropped in training").at_least(0).below(1);
  options.add("attention-dropout", attention_dropout, "share of attention weights dropped")
      .at_least(0)
      .below(1);
  options.add("locked-dropout", locked_dropout, "one dropout mask for all steps of a sequence");
  options.section("Transformer");
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
  options.add("activation", activation, nn::activation_names(),
              "Transformer: of feed-forward blocks");
  options.add("norm", norm, norm_place_names(),
              "Transformer: layer norm before each sublayer, or after it as published");
  options.add("positions", positions, positions_names(), "Transformer: the positional encoding");
  options.add("longest", longest, longest_help).range(1, 1 << 20);
}

}  // namespace heed::models
