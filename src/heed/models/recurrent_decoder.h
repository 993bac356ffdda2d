// SPDX-License-Identifier: Apache-2.0
// The decoder of recurrent networks with any mechanism over the states of any encoder, attending
// before each step (Bahdanau 2015) or after it (Luong 2015), or with a fixed vector instead
// (Sutskever 2014, Cho 2014).
#pragma once  // public header

#include <memory>
#include <string>
#include <vector>

#include "heed/attention/attention.h"
#include "heed/models/copying.h"
#include "heed/models/decoder.h"
#include "heed/nn/embedding.h"
#include "heed/nn/linear.h"

#pragma GCC visibility push(default)  // exported

namespace heed::models {

enum class Arrangement { bahdanau, luong };
const std::vector<std::string>& arrangement_names();
// What a decoder without attention knows of its source: where it starts (Sutskever 2014), or one
// vector at every step (Cho 2014).
enum class Fixed { initial, every_step };
const std::vector<std::string>& fixed_names();

struct RecurrentDecoderOptions {
  std::string name = "recurrent decoder";  // for errors
  std::int64_t vocabulary = 0;
  // Of the encoder's states, and in how many directions it read: the last states of each are half
  // as wide.
  std::int64_t source_width = 0;
  int source_directions = 1;
  nn::Cell cell = nn::Cell::lstm;
  std::int64_t embedding = 256;
  std::int64_t hidden = 512;  // units of each layer
  int layers = 1;
  // The mechanism in its written form, or "none". Padding is hidden whatever it says.
  std::string attention = "additive";
  Arrangement arrangement = Arrangement::bahdanau;
  bool input_feeding = false;  // luong: the attentional vector is part of the next input
  // luong: [S,P], where each state of the encoder lies, the same for all sources. The mean of it by
  // the weights, where a step looked and not what it read, is part of the next input. Not defined:
  // nothing is.
  Tensor places{};
  Fixed fixed = Fixed::initial;
  bool tied = false;            // whether the output is the table of embeddings
  Real dropout = 0;             // of embeddings, between layers, and before the output
  Real attention_dropout = 0;   // of weights
  bool locked_dropout = false;  // one mask for all steps of a sequence (Gal 2016)
  bool copies = false;          // words of the source may be copied (See 2017)
  // luong: words are foreseen from one state of the encoder at a time and mixed by the weights.
  bool mixture = false;
  // bahdanau: what is read is multiplied by sigmoid(w s_{t-1} + b), so that words that need no look
  // at the source may do without (Xu 2015, Sec. 4.2.1).
  bool gate = false;
  bool shows_weights = false;  // whether Decoded has the weights of its attention
};

// A source as the decoder reads it.
struct RecurrentSource {
  attention::Memory memory{};     // where the model attends
  nn::RecurrentStates initial{};  // of the decoder's layers
  Variable summary{};             // [B,...], the whole source as one vector, where it uses one
  CopySource copies{};            // where it copies

  void visit(StateVisitor& visitor) {
    visitor("memory", memory);
    visitor("initial", initial);
    visitor("summary", summary);
    visitor("copies", copies);
  }
};

struct RecurrentDecoderState {
  nn::RecurrentStates recurrent{};  // h, c of each layer
  Variable fed{};  // to the next step: [N,H] attentional (Luong 2015, 3.3), or [N,P] of places
  attention::AttentionState attention{};  // what its attention remembers

  void visit(StateVisitor& visitor) {
    visitor("recurrent", recurrent);
    visitor("fed", fed);
    visitor("attention", attention);
  }
};

class RecurrentDecoder final : public Decoder {
 public:
  RecurrentDecoder() = default;
  // With a table of embeddings of its own. UsageError that says what would be right for options
  // that do not fit each other.
  RecurrentDecoder(const RecurrentDecoderOptions& options, Random& random);
  // With this one, which may be another model's too.
  RecurrentDecoder(const RecurrentDecoderOptions& options, nn::Embedding words, Random& random);

  // "embedding", then the rest; a model of two halves names them.
  void visit(nn::ParameterVisitor& visitor) override;
  void visit_words(nn::ParameterVisitor& visitor, const char* name) { visitor(name, target_); }
  void visit_rest(nn::ParameterVisitor& visitor);

  Encoded read(const EncoderStates& source) const override;
  Decoded decode(const Encoded& encoded, const Sequences& target, const Call& call) const override;
  DecoderState start(const Encoded& encoded) const override;
  Step step(const Encoded& encoded, const DecoderState& state, const Ids& tokens,
            const Call& call) const override;

  bool attends() const { return mechanism_ != nullptr; }
  bool copies() const { return copying_.defined(); }

 private:
  // The first state of one decoder layer, made of the encoder's last ones.
  struct Bridge {
    nn::Linear h, c;  // not defined: taken as they are
    void visit(nn::ParameterVisitor& visitor);
  };
  struct Layers {
    std::vector<nn::RecurrentLayer> layers{};
    Variable feed{};       // [G*H, fed width], what the first layer reads beside words
    nn::Linear readout{};  // of the vector that the output reads, where it is not the state itself

    Layers shared() const;  // for the steps of one decode
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
    Variable weights{};  // [N,S] it was read with, where these are kept
    Variable gate{};     // [N,1], where there is one
    Tensor masked{};     // [N,1,1,S], the same, when watched
  };
  // What the output reads of all steps, at N places of them.
  struct Read {
    Variable vector;      // [N,W]
    Variable states{};    // [N,H], of a mixture
    Variable decision{};  // [N,F], what the choice between generating and copying reads
    Variable weights{};   // [B,T,S]
    Variable gates{};     // [B,T]
    Tensor masked{};      // [B,1,T,S], the same, when watched
  };
  struct Attended {
    Variable context, weights;
    Tensor masked;
  };

  bool reads_before() const;  // the context is part of the cell's input
  bool feeds_input() const;   // the attentional vector is
  bool feeds_places() const;  // where the last step looked is
  bool keeps_weights() const {
    return copying_.defined() || options_.mixture || options_.shows_weights || feeds_places();
  }

  Variable drop(const Variable& x, nn::Noise noise) const;  // x [T,...]
  // The states of the top layer, [N,H] of one step or [T,N,H] of all, as an observer leaves them
  // for attention and output. What the recurrence itself carries on stays as it is.
  Variable shown(const Variable& states, const Call& call) const;
  RecurrentDecoderState first_state(const RecurrentSource& source) const;
  // Of the encoder's last states, or of the mean of what it left where it has none.
  nn::RecurrentStates first_states(const EncoderStates& source) const;
  Attended attend(const Variable& query, const attention::Memory& memory,
                  attention::AttentionState& state, const Call& call) const;
  // One step. from_words [N, G*H] is what the first layer makes of the words; `state` moves on.
  Moved move(const Layers& decoder, const RecurrentSource& source, const Variable& from_words,
             RecurrentDecoderState& state, const LayerDropout& dropout, const Call& call) const;
  // words [T,B,E]
  Read step_by_step(const RecurrentSource& encoded, const Variable& words, const Sequences& target,
                    const Call& call) const;
  Read at_once(const RecurrentSource& encoded, const Variable& words, const Sequences& target,
               const Call& call) const;
  // What the output reads, of a state, a context and the words before, all [N,...].
  Variable readout(const nn::Linear& layer, const Moved& moved, const Variable& words) const;
  // What the choice between generating and copying reads of them (See 2017, Eq. 8).
  Variable decision(const Moved& moved, const Variable& words) const;
  Variable logits(const Variable& read, nn::Noise noise) const;
  // The logarithms of the mixture: h [N,H], weights [N,S] over the states of sequences [N].
  Variable mixed(const Variable& h, const Variable& weights, const attention::Memory& memory,
                 const Ids& sequences, nn::Noise noise) const;

  RecurrentDecoderOptions options_;
  nn::Dropout dropout_;
  nn::Embedding target_;
  std::shared_ptr<attention::Attention> mechanism_;
  std::vector<Bridge> bridges_;  // one per layer
  Layers decoder_;
  nn::Linear projection_;  // to the width of tied embeddings, where it is another
  Variable output_;        // [V,W] unless tied
  Variable output_bias_;   // [V]
  PointerGenerator copying_;
  nn::Linear gate_;
  std::shared_ptr<const attention::Pattern> tokens_;  // hides padding
};

}  // namespace heed::models

#pragma GCC visibility pop
