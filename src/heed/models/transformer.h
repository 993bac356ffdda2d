// SPDX-License-Identifier: Apache-2.0
// The Transformer encoder-decoder (Vaswani 2017) with any mechanism in each of its three
// attentions, any kind of positions, and the norm before or after each sublayer.
#pragma once  // public header

#include <string>

#include "heed/models/encoder_decoder.h"
#include "heed/models/transformer_decoder.h"

namespace heed::models {

struct TransformerOptions {
  std::int64_t source_vocabulary = 0;
  std::int64_t target_vocabulary = 0;
  std::int64_t width = 256;
  std::int64_t heads = 8;
  std::int64_t key_heads = 0;  // 0: as many as heads; fewer: grouped; 1: multi-query
  std::int64_t inner = 1024;   // of the feed-forward blocks
  int encoder_layers = 3;
  int decoder_layers = 3;
  Activation activation = Activation::relu;
  NormPlace norm = NormPlace::pre;
  Positions positions = Positions::sinusoidal;
  std::int64_t longest = 512;  // learned positions: how many there are
  Tie tie = Tie::target;
  // The mechanisms, in their written form. Padding is hidden, and the future from the decoder's own
  // attention, whatever they say.
  std::string encoder_attention = "scaled_dot";
  std::string decoder_attention = "scaled_dot";
  std::string cross_attention = "scaled_dot";
  Real dropout = Real(.1);      // of embeddings and of each sublayer's result
  Real attention_dropout = 0;   // of weights
  Real inner_dropout = 0;       // after the activation of feed-forward blocks
  bool locked_dropout = false;  // one mask for all tokens of a sequence (Gal 2016)
  // Whether words of the source may be copied (See 2017), with the weights of one layer's attention
  // over it: of one head, or the mean of all.
  bool copies = false;
  int copy_layer = -1;  // -1: the last
  int copy_head = -1;   // -1: the mean of all
  // Which side reads the sentences before (Miculicich 2018), after its last layer.
  bool source_context = false;
  bool target_context = false;
};

class Transformer final : public EncoderDecoder {
 public:
  // UsageError that says what would be right for options that do not fit each other.
  Transformer(const TransformerOptions& options, Random& random);

  void visit(nn::ParameterVisitor& visitor) override;
  Encoded encode(const Source& source, const Call& call) const override;
  const Decoder& decoder() const override { return decoder_; }
  std::int64_t longest() const override;

 private:
  EncoderStates encode_plainly(const Sequences& source, const Call& call) const;

  TransformerOptions options_;
  nn::Embedding source_;
  TransformerStack encoder_;
  TransformerDecoder decoder_;
  attention::HierarchicalAttention source_before_;
};

}  // namespace heed::models
