// SPDX-License-Identifier: Apache-2.0
// Names, limits and help of a stack's options.
#include "heed/models/transformer_stack_options.h"

namespace heed::models {

const std::vector<PositionsCard>& positions_cards() {
  static const std::vector<PositionsCard> cards = {
      {"sinusoidal", "sines of the position, added to the embeddings", true},
      {"learned", "", true},
      {"rotary", "queries and keys turned by their position"},
      {"relative"},
      {"distances"},
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

const std::vector<std::string>& biases_names() {
  static const std::vector<std::string> names = {"all", "inputs", "none"};
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
  options.add("gated", gated,
              "Transformer: the activation opens the features of a second layer, as in LLaMA "
              "(swish) and T5 1.1 (gelu_tanh)");
  options.add("feed-bias", feed_bias, "Transformer: feed-forward blocks have biases");
  options.add("attention-bias", attention_bias, biases_names(),
              "Transformer: which projections of attention have a bias; inputs: of queries, keys "
              "and values, as in Qwen 2");
  options
      .add("head-width", head_width,
           "Transformer: features of a head's queries and keys; 0: --width / --heads")
      .range(0, 65536);
  options.add("norm", norm, norm_place_names(),
              "Transformer: layer norm before each sublayer, or after it as published");
  options.add("norm-kind", norm_kind, nn::norm_kind_names(),
              "Transformer: LayerNorm, or RMSNorm, which has no mean and no bias");
  options.add("norm-epsilon", norm_epsilon, "Transformer: added to the variance in norms")
      .above(0)
      .at_most(1);
  options.add("scaled-embeddings", scaled_embeddings,
              "Transformer: embeddings are multiplied by the root of --width, as published");
  options
      .add("segments", segments,
           "Transformer: how many texts read as one are told apart by a learnt vector, as BERT's "
           "two; 0: none")
      .range(0, 1024);
  options.add("embedding-norm", embedding_norm,
              "Transformer: a norm of the embeddings before the first layer, as in BERT");
  options.add("positions", positions, positions_names(), "Transformer: the positional encoding");
  options.add("longest", longest, longest_help).range(1, 1 << 20);
  options.add("sinusoids", sinusoids, attention::sinusoids_names(),
              "Transformer: sinusoidal positions side by side, or sines before cosines, as in "
              "Marian");
  options.add("rotary-pairs", rotary.pairs, attention::rotary_pairs_names(),
              "Transformer: rotary positions turn neighbouring features, or those half a head "
              "apart, as in LLaMA");
  options
      .add("rotary-base", rotary.base,
           "Transformer: the slower rotary positions turn, the larger it is")
      .above(1);
  options.add("rotary-scaling", rotary.scaling.kind, attention::rotary_scaling_names(),
              "Transformer: how rotary positions turn more slowly for a longer context");
  options.add("rotary-factor", rotary.scaling.factor, "linear, llama3: by how much").above(0);
  options
      .add("rotary-low", rotary.scaling.low,
           "llama3: slow waves are longer than the original context by it")
      .above(0);
  options.add("rotary-high", rotary.scaling.high, "llama3: fast waves are shorter by it").above(0);
  options.add("rotary-original", rotary.scaling.original, "llama3: the original context, in tokens")
      .above(0);
  options
      .add("relative-buckets", relative_buckets, "Transformer: relative positions: learnt numbers")
      .range(4, 65536);
  options
      .add("relative-distance", relative_distance,
           "Transformer: relative positions: from here on all distances share the last number")
      .range(2, 1 << 24);
  options.add("relative-shared", relative_shared,
              "Transformer: relative positions: all layers have one table, as in T5");
}

}  // namespace heed::models
