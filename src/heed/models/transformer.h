// SPDX-License-Identifier: Apache-2.0
// The Transformer encoder-decoder (Vaswani 2017) with any mechanism in each of its three
// attentions, any kind of positions, and the norm before or after each sublayer.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "heed/attention/multi_head.h"
#include "heed/models/encoder_decoder.h"
#include "heed/nn/embedding.h"
#include "heed/nn/feed_forward.h"
#include "heed/nn/norm.h"

namespace heed::models {

// Where position comes in: added to the embeddings (sinusoidal, learned), by turning queries and
// keys (rotary; Su 2021), as a learnt number for each distance (relative; Raffel 2020), or not.
enum class Positions { sinusoidal, learned, rotary, relative, none };
// post: norm(x + f(x)), as published; pre: x + f(norm(x)), which needs no warm-up (Xiong 2020).
enum class NormPlace { pre, post };

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
  Real inner_dropout = 0;       // behind the activation of feed-forward blocks
  bool locked_dropout = false;  // one mask for all tokens of a sequence (Gal 2016)
};

class Transformer final : public EncoderDecoder {
 public:
  // UsageError that says what would be right for options that do not fit each other.
  Transformer(const TransformerOptions& options, Random& random);

  void visit(nn::ParameterVisitor& visitor) override;
  Encoded encode(const Sequences& source, const Call& call) const override;
  Variable decode(const Encoded& encoded, const Sequences& target, const Call& call) const override;
  DecoderState start(const Encoded& encoded) const override;
  Step step(const Encoded& encoded, const DecoderState& state, const Ids& tokens,
            const Call& call) const override;
  std::int64_t longest() const override;

 private:
  struct EncoderLayer {
    nn::LayerNorm self_norm, feed_norm;
    std::unique_ptr<attention::MultiHead> self;
    nn::FeedForward feed;
    void visit(nn::ParameterVisitor& visitor);
  };
  struct DecoderLayer {
    nn::LayerNorm self_norm, cross_norm, feed_norm;
    std::unique_ptr<attention::MultiHead> self, cross;
    nn::FeedForward feed;
    void visit(nn::ParameterVisitor& visitor);
  };
  // Embeddings of one side and their positions.
  struct Input {
    nn::Embedding embedding;
    std::optional<attention::LearnedPositions> positions;
  };

  // What a decoder layer remembers of the tokens before.
  struct Past {
    attention::Memory history{};
    attention::AttentionState self{}, cross{};
  };
  // The three kinds of attention: what they see of each other's positions differs.
  enum class Kind { encoder_self, decoder_self, cross };

  Input make_input(std::int64_t vocabulary, Random& random) const;
  std::unique_ptr<attention::MultiHead> make_attention(Kind kind, const std::string& mechanism,
                                                       Random& random) const;
  Variable embed(const Input& input, const Ids& ids, std::int64_t first, const Call& call) const;
  Variable drop(const Variable& x, const Call& call) const;
  Variable attend(const attention::MultiHead& heads, const Variable& query,
                  const attention::Memory& memory, attention::AttentionState& state,
                  attention::AttendOptions options, const Call& call) const;
  // x [B,Q,width] through sublayer f, its norm and the way around it.
  template <typename Sublayer>
  Variable residual(const nn::LayerNorm& norm, const Variable& x, const Call& call,
                    const Sublayer& sublayer) const;
  // Through one layer of the decoder; `past` becomes the past of the next tokens.
  Variable through(std::size_t layer, const Variable& x, const attention::Memory& source,
                   Past& past, const Call& call) const;
  // hidden [N,width] behind the last layer -> [N,V]
  Variable logits(const Variable& hidden) const;

  TransformerOptions options_;
  Input source_, target_;
  std::vector<EncoderLayer> encoder_;
  std::vector<DecoderLayer> decoder_;
  nn::LayerNorm encoder_norm_, decoder_norm_;  // behind the last layer, where norms come first
  Variable output_;                            // [V, width] unless tied
  Variable output_bias_;                       // [V]
  // What each kind of attention may see at most, whatever is written.
  std::shared_ptr<const attention::Pattern> tokens_, past_, source_tokens_;
};

}  // namespace heed::models
