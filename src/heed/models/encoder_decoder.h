// SPDX-License-Identifier: Apache-2.0
// The contract of models that read one sequence and write another: encode once, then decode a whole
// target at once (teacher forcing: training, scoring) or token by token (search). Both give the
// same numbers.
//
// Letters: B sentences, S source tokens, T target tokens, N hypotheses, V target vocabulary.
#pragma once

#include <utility>

#include "heed/models/call.h"
#include "heed/models/sequences.h"
#include "heed/models/state.h"
#include "heed/models/tie.h"
#include "heed/nn/module.h"

namespace heed::models {

// The sentences that stand before others of their document.
struct Context {
  Sequences source{};  // [C,S], each distinct one once
  Sequences target{};  // [C,T], their translations, where a model reads them
  Ids rows{};          // [B,K], of these, the nearest first, -1 behind the last; not defined: none
};

// What encode() reads: sentences, and what some models take besides.
struct Source {
  Source(Sequences sentences) : sentences(std::move(sentences)) {}

  Sequences sentences;
  // [B,S], each token as one of the target's vocabulary or, behind it, one of the sentence's own;
  // behind the sentence's end -1. For models that copy.
  Ids copies{};
  Context before{};  // for models that read documents
};
Source source_of(const text::PairBatch& batch);

// A source as a decoder reads it, a value of the model's own type; row b belongs to sentence b.
// Keys are projected once.
using Encoded = State;

struct Decoded {
  // Of every token, without padding, row after row: [sum of lengths, V], or V+X with X words of the
  // sentences' own, whose rows are logarithms of probabilities then.
  Variable logits;
  Variable copying{};  // [B,T,S], the weights that a model copies with
};

class EncoderDecoder {
 public:
  virtual ~EncoderDecoder() = default;
  virtual void visit(nn::ParameterVisitor& visitor) = 0;

  virtual Encoded encode(const Source& source, const Call& call) const = 0;
  // The logits of every token of the targets [B,T], each given the tokens before it.
  virtual Decoded decode(const Encoded& encoded, const Sequences& target,
                         const Call& call) const = 0;
  // Before the first token.
  virtual DecoderState start(const Encoded& encoded) const = 0;
  // Reads the last token of each hypothesis [N] (text::kBegin at first) and scores the next. Row n
  // of the state continues row n of `encoded`. A token behind the vocabulary is one of the
  // sentence's own words and is read as text::kUnknown.
  virtual Step step(const Encoded& encoded, const DecoderState& state, const Ids& tokens,
                    const Call& call) const = 0;
  // The longest source or target it can read; 0: any.
  virtual std::int64_t longest() const { return 0; }
};

}  // namespace heed::models
