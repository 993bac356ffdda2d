// SPDX-License-Identifier: Apache-2.0
// The encoder-decoder of recurrent networks with any mechanism between them, attending before each
// step (Bahdanau 2015) or after it (Luong 2015), or with a fixed vector instead (Sutskever 2014,
// Cho 2014).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "heed/attention/attention.h"
#include "heed/models/copying.h"
#include "heed/nn/embedding.h"
#include "heed/nn/linear.h"

namespace heed::models {

enum class Arrangement { bahdanau, luong };
// What a decoder without attention knows of its source: where it starts (Sutskever 2014), or one
// vector at every step (Cho 2014).
enum class Fixed { initial, every_step };

struct Seq2SeqOptions {
  std::int64_t source_vocabulary = 0;
  std::int64_t target_vocabulary = 0;
  nn::Cell cell = nn::Cell::lstm;
  std::int64_t embedding = 256;
  std::int64_t hidden = 512;        // units of each decoder layer
  std::int64_t encoder_hidden = 0;  // units of each encoder layer and direction; 0: as hidden
  int encoder_layers = 1;
  int decoder_layers = 1;
  bool bidirectional = true;
  // The mechanism in its written form, or "none". Padding is hidden whatever it says.
  std::string attention = "additive";
  Arrangement arrangement = Arrangement::bahdanau;
  bool input_feeding = false;  // luong: the attentional vector is part of the next input
  Fixed fixed = Fixed::initial;
  Tie tie = Tie::none;
  Real dropout = 0;             // of embeddings, between layers, and before the output
  Real attention_dropout = 0;   // of weights
  bool locked_dropout = false;  // one mask for all steps of a sequence (Gal 2016)
  bool copies = false;          // words of the source may be copied (See 2017)
  bool documents = false;       // the encoder reads the sentences before (Miculicich 2018)
};

class Seq2Seq final : public EncoderDecoder {
 public:
  // UsageError that says what would be right for options that do not fit each other.
  Seq2Seq(const Seq2SeqOptions& options, Random& random);

  void visit(nn::ParameterVisitor& visitor) override;
  Encoded encode(const Source& source, const Call& call) const override;
  Decoded decode(const Encoded& encoded, const Sequences& target, const Call& call) const override;
  DecoderState start(const Encoded& encoded) const override;
  Step step(const Encoded& encoded, const DecoderState& state, const Ids& tokens,
            const Call& call) const override;

 private:
  // The first state of one decoder layer, made of the encoder's last ones.
  struct Bridge {
    nn::Linear h, c;  // not defined: taken as they are
    void visit(nn::ParameterVisitor& visitor);
  };
  struct Decoder {
    std::vector<nn::RecurrentLayer> layers{};
    Variable feed{};       // [G*H, fed width], what the first layer reads beside words
    nn::Linear readout{};  // of the vector that the output reads, where it is not the state itself

    Decoder shared() const;  // for the steps of one decode
    void visit(nn::ParameterVisitor& visitor);
  };
  // Where dropout between layers draws from within one decode.
  struct LayerDropout {
    nn::Noise noise = nullptr;
    std::vector<DropoutMask> locked{};  // one per layer above the first, or empty
  };
  // What a step, or all steps, make.
  struct Moved {
    Variable h;          // [N,H] of the top layer
    Variable context;    // [N,D] read from the source, or not defined
    Variable weights{};  // [N,S] it was read with, where the model copies
  };
  // What the output reads of all steps, at N places of them.
  struct Read {
    Variable vector;      // [N,W]
    Variable decision{};  // [N,F], what the choice between generating and copying reads
    Variable weights{};   // [B,T,S]
  };
  struct Attended {
    Variable context, weights;
  };

  bool attends() const { return mechanism_ != nullptr; }
  bool reads_before() const;  // the context is part of the cell's input
  bool feeds_input() const;   // the attentional vector is

  Variable drop(const Variable& x, nn::Noise noise) const;  // x [T,...]
  nn::RecurrentStates first_states(const nn::RecurrentStates& last) const;
  nn::RecurrentOutput read_source(const Sequences& source, const Call& call) const;
  Attended attend(const Variable& query, const attention::Memory& memory,
                  attention::AttentionState& state, const Call& call) const;
  // One step. from_words [N, G*H] is what the first layer makes of the words; `state` moves on.
  Moved move(const Decoder& decoder, const Encoded& encoded, const Variable& from_words,
             DecoderState& state, const LayerDropout& dropout, const Call& call) const;
  // words [T,B,E]
  Read step_by_step(const Encoded& encoded, const Variable& words, const Sequences& target,
                    const Call& call) const;
  Read at_once(const Encoded& encoded, const Variable& words, const Sequences& target,
               const Call& call) const;
  // What the output reads, of a state, a context and the words before, all [N,...].
  Variable readout(const nn::Linear& layer, const Moved& moved, const Variable& words) const;
  // What the choice between generating and copying reads of them (See 2017, Eq. 8).
  Variable decision(const Moved& moved, const Variable& words) const;
  Variable logits(const Variable& read, nn::Noise noise) const;

  Seq2SeqOptions options_;
  nn::Dropout dropout_;
  nn::Embedding source_, target_;
  nn::RecurrentNetwork encoder_;
  std::shared_ptr<attention::Attention> mechanism_;
  std::vector<Bridge> bridges_;  // one per decoder layer
  Decoder decoder_;
  nn::Linear projection_;  // to the width of tied embeddings, where it is another
  Variable output_;        // [V,W] unless tied
  Variable output_bias_;   // [V]
  PointerGenerator copying_;
  attention::HierarchicalAttention before_;
  std::shared_ptr<const attention::Pattern> tokens_;  // hides padding
};

}  // namespace heed::models
