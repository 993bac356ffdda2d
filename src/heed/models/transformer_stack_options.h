// SPDX-License-Identifier: Apache-2.0
// The options of a stack of Transformer layers, the same for every model that has one: what users
// set, under the names of command lines and config files, and what each model sets itself.
//
// An option is added here, bound in declare(), and read by TransformerStack.
#pragma once  // public header

#include <cstdint>
#include <string>
#include <vector>

#include "heed/attention/positions.h"
#include "heed/attention/site.h"
#include "heed/base/options.h"
#include "heed/nn/feed_forward.h"
#include "heed/nn/norm.h"

#pragma GCC visibility push(default)  // exported

namespace heed::models {

// Where position comes in: added to the embeddings (sinusoidal, learned), by turning queries and
// keys (rotary; Su 2021), as a learnt number for each distance (relative; Raffel 2020), as sines of
// the distance that queries ask for (distances; Dai 2019), or not.
enum class Positions { sinusoidal, learned, rotary, relative, distances, none };
// A positional encoding as options and descriptions name it.
struct PositionsCard {
  std::string name;
  std::string formula{};  // what it does, of those without parameters
  bool absolute = false;  // whether it counts from the beginning of what is read
};
// In the order of the enumerators.
const std::vector<PositionsCard>& positions_cards();
std::vector<std::string> positions_names();
// post: norm(x + f(x)), as published; pre: x + f(norm(x)), which needs no warm-up (Xiong 2020).
enum class NormPlace { pre, post };
const std::vector<std::string>& norm_place_names();

// Which projections of attention have a bias: all; queries, keys and values; none.
enum class Biases { all, inputs, none };
const std::vector<std::string>& biases_names();

struct TransformerStackOptions {
  std::string name = "transformer";  // for errors
  std::int64_t width = 256;
  std::int64_t heads = 8;
  std::int64_t key_heads = 0;  // 0: as many as heads; fewer: grouped; 1: multi-query
  std::int64_t inner = 1024;   // of the feed-forward blocks
  int layers = 3;
  Activation activation = Activation::relu;
  bool gated = false;     // whether the activation opens a second layer's features (Shazeer 2020)
  bool feed_bias = true;  // of feed-forward blocks
  Biases attention_bias = Biases::all;
  std::int64_t head_width = 0;  // 0: width / heads
  NormPlace norm = NormPlace::pre;
  nn::NormKind norm_kind = nn::NormKind::layer;
  double norm_epsilon = 1e-5;
  // What becomes of the embeddings before the first layer.
  bool scaled_embeddings = true;  // times sqrt(width)
  std::int64_t segments = 0;      // texts read as one that are told apart; 0: none
  bool embedding_norm = false;    // a norm after positions and segments
  Positions positions = Positions::sinusoidal;
  std::int64_t longest = 512;  // learned positions: how many there are
  attention::Sinusoids sinusoids = attention::Sinusoids::interleaved;
  attention::Rotary rotary{};
  std::int64_t relative_buckets = 32;
  std::int64_t relative_distance = 128;
  bool relative_shared = false;   // whether all layers have one table
  bool causal = false;            // whether the future is hidden
  bool cross = false;             // whether it attends to a source as well
  std::int64_t source_width = 0;  // of the source's states; 0: as width
  // The mechanisms, in their written form. Padding is hidden, and the future where the stack is
  // causal, whatever they say.
  std::string attention = "scaled_dot";
  std::string cross_attention = "scaled_dot";
  // What observers are told of its attentions; layers are numbered here.
  attention::Site site{
      .role = attention::Role::self, .set = "encoder self", .queries = "source", .keys = "source"};
  attention::Site cross_site{.role = attention::Role::cross,
                             .set = "cross",
                             .queries = "target",
                             .keys = "source",
                             .stepwise = true};
  double dropout = .1;           // of embeddings and of each sublayer's result
  double attention_dropout = 0;  // of weights
  double inner_dropout = 0;      // after the activation of feed-forward blocks
  bool locked_dropout = false;   // one mask for all tokens of a sequence (Gal 2016)

  // The most tokens it can read; 0: any number.
  std::int64_t most_tokens() const { return positions == Positions::learned ? longest : 0; }

  // What --longest bounds is another thing where it is the context.
  static constexpr const char* kLongest =
      "Transformer: how many positions are learned, including that of a text's end";
  // Declares what users set of any stack. Layers and mechanisms are left to the model, which may
  // have several stacks; dropout it may share with networks that are not stacks.
  void declare(Options& options, const std::string& longest_help = kLongest);
};

}  // namespace heed::models

#pragma GCC visibility pop
