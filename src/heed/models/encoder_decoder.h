// SPDX-License-Identifier: Apache-2.0
// The contract of models that read one sequence and write another: an encoder of tokens and a
// decoder. Encode once, then decode.
//
// Letters: B sentences, S source tokens, T target tokens, N hypotheses, V target vocabulary.
#pragma once  // public header

#include <utility>

#include "heed/models/decoder.h"
#include "heed/models/tie.h"

#pragma GCC visibility push(default)  // exported

namespace heed::models {

// The sentences that are before others of their document.
struct Context {
  Sequences source{};  // [C,S], each distinct one once
  Sequences target{};  // [C,T], their translations, where a model reads them
  Ids rows{};          // [B,K], of these, the nearest first, -1 after the last; not defined: none
};

// What encode() reads: sentences, and what some models take besides.
struct Source {
  Source(Sequences read) : sentences(std::move(read)) {}

  Sequences sentences;
  // [B,S], each token as one of the target's vocabulary or, after it, one of the sentence's own;
  // after the sentence's end -1. For models that copy.
  Ids copies{};
  Context before{};  // for models that read documents
};
Source source_of(const text::PairBatch& batch);

class EncoderDecoder {
 public:
  virtual ~EncoderDecoder() = default;
  virtual void visit(nn::ParameterVisitor& visitor) = 0;

  virtual Encoded encode(const Source& source, const Call& call) const = 0;
  // What writes for the encoded source.
  virtual const Decoder& decoder() const = 0;
  // The longest source or target it can read; 0: any.
  virtual std::int64_t longest() const { return 0; }

  Decoded decode(const Encoded& encoded, const Sequences& target, const Call& call) const {
    return decoder().decode(encoded, target, call);
  }
  DecoderState start(const Encoded& encoded) const { return decoder().start(encoded); }
  Step step(const Encoded& encoded, const DecoderState& state, const Ids& tokens,
            const Call& call) const {
    return decoder().step(encoded, state, tokens, call);
  }
};

}  // namespace heed::models

#pragma GCC visibility pop
