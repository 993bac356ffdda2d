// SPDX-License-Identifier: Apache-2.0
// The recurrent language model: RNN, LSTM or GRU, stacked, alone or with any mechanism that attends
// to its own past states.
#pragma once  // public header

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "heed/attention/attention.h"
#include "heed/models/language_model.h"
#include "heed/nn/embedding.h"
#include "heed/nn/linear.h"
#include "heed/nn/recurrent.h"

#pragma GCC visibility push(default)  // exported

namespace heed::models {

// How the state h and what was read of the past, c, become what the output reads.
enum class Composition {
  concat,  // tanh(W [h; c] + b)                                  (Luong 2015, Eq. 5)
  sum,     // h + W c
  gate     // g h + (1 - g) W c, g = sigmoid(W' [h; c] + b)
};
const std::vector<std::string>& composition_names();

struct RecurrentLanguageModelOptions {
  std::int64_t vocabulary = 0;
  nn::Cell cell = nn::Cell::lstm;
  std::int64_t embedding = 200;
  std::int64_t hidden = 200;
  int layers = 2;
  // The mechanism in its written form, or "none". The future is hidden, and all but the last `span`
  // states, whatever it says; these are carried from one read to the next, so that it does not
  // matter where a text is cut.
  std::string attention = "none";
  std::int64_t span = 100;
  Composition composition = Composition::concat;
  Tie tie = Tie::target;        // none: the output has a table of its own
  Real dropout = 0;             // of embeddings, between layers, and before the output
  Real attention_dropout = 0;   // of weights
  bool locked_dropout = false;  // one mask for all steps of a read (Gal 2016)
};

// Where it is in a text.
struct RecurrentTextState {
  nn::RecurrentStates recurrent{};  // h, c of each layer
  // [B,1,M,H], the states it may still look at, where it attends; and what its attention remembers.
  Variable history{};
  attention::AttentionState past{};

  void visit(StateVisitor& visitor) {
    visitor("", recurrent);
    visitor("history", history);
    visitor("", past);
  }
};

class RecurrentLanguageModel final : public LanguageModel {
 public:
  // UsageError that says what would be right for options that do not fit each other.
  RecurrentLanguageModel(const RecurrentLanguageModelOptions& options, Random& random);

  void visit(nn::ParameterVisitor& visitor) override;
  std::int64_t vocabulary() const override { return options_.vocabulary; }
  DecoderState start(std::int64_t tracks) const override;
  Reading read(const DecoderState& state, const Ids& tokens, const Call& call) const override;
  Variable logits(const Variable& hidden) const override;

 private:
  Variable drop(const Variable& x, nn::Noise noise) const;  // x [T,B,...]
  attention::Site site() const;  // what observers are told of its look back and its states
  // What the states [B,T,H] read of those before them [B,T,H]; the state learns of them.
  Variable look_back(const Variable& states, RecurrentTextState& state, const Call& call) const;
  Variable composed(const Variable& states, const Variable& contexts) const;

  RecurrentLanguageModelOptions options_;
  nn::Dropout dropout_;
  nn::Embedding words_;
  nn::RecurrentNetwork network_;
  std::shared_ptr<attention::Attention> mechanism_;
  nn::Linear context_;     // W of concat, sum and gate
  nn::Linear gate_;        // W' of gate
  nn::Linear projection_;  // to the width of tied embeddings, where that is another
  Variable output_;        // [V,H] unless tied
  Variable output_bias_;   // [V]
  std::shared_ptr<const attention::Pattern> visible_;
};

}  // namespace heed::models

#pragma GCC visibility pop
