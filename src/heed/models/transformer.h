// SPDX-License-Identifier: Apache-2.0
// The Transformer encoder-decoder (Vaswani 2017) with any mechanism in each of its three
// attentions, any kind of positions, and the norm before or after each sublayer.
#pragma once  // public header

#include <string>

#include "heed/models/encoder_decoder.h"
#include "heed/models/transformer_decoder.h"

#pragma GCC visibility push(default)  // exported

namespace heed::models {

struct TransformerOptions {
  std::int64_t source_vocabulary = 0;
  std::int64_t target_vocabulary = 0;
  // What both stacks have in common. `layers` and `attention` of each are those below; its
  // `cross_attention` is the decoder's over the source.
  TransformerStackOptions stack{};
  int encoder_layers = 3;
  int decoder_layers = 3;
  std::string encoder_attention = "scaled_dot";
  std::string decoder_attention = "scaled_dot";
  Tie tie = Tie::target;
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

#pragma GCC visibility pop
