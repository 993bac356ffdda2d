// SPDX-License-Identifier: Apache-2.0
// The contract of decoders: they read what an encoder has left once, then write a whole target at
// once (training by teacher forcing, scoring) or token by token (search). Both give the same
// numbers.
//
// Letters: B sources, T target tokens, N hypotheses, V target vocabulary.
#pragma once  // public header

#include "heed/models/call.h"
#include "heed/models/encoder.h"
#include "heed/models/sequences.h"
#include "heed/models/state.h"
#include "heed/nn/module.h"

#pragma GCC visibility push(default)  // exported

namespace heed::models {

// A source as a decoder reads it, a value of the decoder's own type; row b belongs to source b.
// Keys are projected once.
using Encoded = State;

struct Decoded {
  // Of every token, without padding, row after row: [sum of lengths, V], or V+X with X words of the
  // sources' own, whose rows are logarithms of probabilities then.
  Variable logits;
  Variable copying{};  // [B,T,S], the weights that a model copies with
  Variable weights{};  // [B,T,S], those of its attention, where it shows them
  Variable gates{};    // [B,T], how much of what was read went on, where it has a gate
};

class Decoder {
 public:
  virtual ~Decoder() = default;
  virtual void visit(nn::ParameterVisitor& visitor) = 0;

  // UsageError for states of another width than the decoder was made for.
  virtual Encoded read(const EncoderStates& source) const = 0;
  // The logits of every token of the targets [B,T], each given the tokens before it.
  virtual Decoded decode(const Encoded& encoded, const Sequences& target,
                         const Call& call) const = 0;
  // Before the first token.
  virtual DecoderState start(const Encoded& encoded) const = 0;
  // Reads the last token of each hypothesis [N] (text::kBegin at first) and scores the next. Row n
  // of the state continues row n of `encoded`. A token after the vocabulary is one of the source's
  // own words and is read as text::kUnknown.
  virtual Step step(const Encoded& encoded, const DecoderState& state, const Ids& tokens,
                    const Call& call) const = 0;
  // The longest target it can write, and source it can read; 0: any.
  virtual std::int64_t longest() const { return 0; }
};

}  // namespace heed::models

#pragma GCC visibility pop
