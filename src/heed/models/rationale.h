// SPDX-License-Identifier: Apache-2.0
// Rationales: a generator reads a whole text and keeps some of its words; whoever predicts reads
// those and nothing else, so that what it says cannot rest on any other word (Lei, Barzilay &
// Jaakkola 2016).
//
// Letters: B texts, S tokens, D features.
#pragma once  // public header

#include <memory>
#include <string>

#include "heed/attention/attention.h"
#include "heed/models/text_encoder.h"
#include "heed/nn/linear.h"

#pragma GCC visibility push(default)  // exported

namespace heed::attention {
class RowNormaliser;
}

namespace heed::models {

struct RationaleOptions {
  // What keeps words: "bernoulli", which is sample(of=sigmoid), "hard_kuma" (hard_kuma.h), or a
  // normaliser of rows in its written form, such as sparse_chain(coupling=0.1).
  // Empty: there is no generator, and all words are read.
  std::string gate{};
  // The encoder of those who read what is kept: bag, cnn or rnn. The generator's is the
  // classifier's.
  TextEncoderKind predictor = TextEncoderKind::bag;
  std::int64_t hidden = 48;  // units between what was read and the classes
  // The share of words that gates with a chance of their own keep at first.
  double first_rate = .5;
};

// What a generator kept of each text.
struct Selection {
  // [B,S], from 0 to 1; 0 for words left out, for the end of a text and for padding.
  Variable kept{};
  // [B,S]: how likely a word is kept at all, with gradients where draws have none; what is kept
  // itself where nothing is drawn.
  Variable chances{};
  Ids words{};  // [B], how many each text has, its end left out

  bool defined() const { return kept.defined(); }
};

// What observers are told of the gate: one query over the words of a text, z its weights.
inline constexpr attention::Site kRationaleSite{
    .role = attention::Role::rationale, .set = "rationale", .queries = "rationale", .keys = "text"};

class RationaleGenerator {
 public:
  // UsageError that says what would be right for a gate that is none.
  RationaleGenerator(const RationaleOptions& options, const TextEncoderOptions& encoder,
                     Random& random);

  // Draws where the call has noise; else it keeps what is likeliest, each word or none of it: half
  // a word counts as kept from .5 on where the gate is never exactly 0.
  Selection operator()(const Sequences& text, const Call& call) const;

  std::int64_t longest() const { return encoder_.longest(); }
  void visit(nn::ParameterVisitor& visitor);

 private:
  Selection by_kuma(const Variable& scores, const Ids& words, const Call& call) const;
  Selection by_part(const Variable& scores, const Ids& words, const Call& call) const;

  TextEncoder encoder_;
  nn::Linear scores_;                           // of each word, one or two
  std::unique_ptr<attention::Attention> gate_;  // none: HardKuma
  // Its normaliser, where words are drawn apart from each other.
  std::shared_ptr<const attention::RowNormaliser> apart_;
  bool threshold_ = false;  // whether half words are rounded in use
};

// The words that were kept, one after another, then the end; what each was kept with.
struct KeptWords {
  Sequences text;    // [B,S'], ending with text::kEnd
  Variable factors;  // [B,S'], 1 for the end
};
KeptWords kept_words(const Sequences& text, const Selection& selection);

}  // namespace heed::models

#pragma GCC visibility pop
