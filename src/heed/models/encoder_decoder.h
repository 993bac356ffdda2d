// SPDX-License-Identifier: Apache-2.0
// The contract of models that read one sequence and write another: encode once, then decode a whole
// target at once (training, scoring) or token by token (search). Both give the same numbers.
//
// Letters: B sentences, S source tokens, T target tokens, N hypotheses, V target vocabulary.
#pragma once

#include <utility>
#include <vector>

#include "heed/attention/hierarchical.h"
#include "heed/attention/memory.h"
#include "heed/attention/state.h"
#include "heed/models/call.h"
#include "heed/nn/module.h"
#include "heed/nn/recurrent.h"
#include "heed/text/batch.h"

namespace heed::models {

// Which embeddings are one table: none; the target's and the output's (Press 2017); all three.
enum class Tie { none, target, all };

// Sequences side by side, each ending with text::kEnd.
struct Sequences {
  Ids ids;      // [B,S], padded
  Ids lengths;  // [B], each at least 1
};
Sequences sequences(const text::TokenRows& rows);

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

// A source as a decoder reads it; row b belongs to sentence b. Keys are projected once.
struct Encoded {
  std::vector<attention::Memory> memories{};  // one per attention over the source
  nn::RecurrentStates initial{};              // of a recurrent decoder
  Variable summary{};    // [B,...], the whole source as one vector, where a model uses one
  Ids lengths{};         // [B]
  Ids copies{};          // Source's
  std::int64_t own = 0;  // the most words of its own that a sentence has: the logits' columns
                         // behind the vocabulary
  attention::HierarchicalMemory before{};  // what a decoder reads of the sentences before

  // The same for other rows, one per entry of `rows` [N]: repeated for beams, left out when done.
  Encoded reordered(const Ids& rows) const;
};

// Where a decoder stands after some tokens, one row per hypothesis. A value: reordered by beams.
struct DecoderState {
  std::int64_t step = 0;            // tokens read so far
  nn::RecurrentStates recurrent{};  // h, c of each layer
  Variable attentional{};           // [N,...], fed to the next step (Luong 2015, 3.3)
  std::vector<attention::AttentionState> attentions{};  // one per attention
  std::vector<attention::Memory> history{};             // keys and values of past tokens, per layer

  DecoderState reordered(const Ids& rows) const;
  // The same values without what they were computed from: where backpropagation is cut.
  DecoderState detached() const;
};

struct Step {
  Variable logits;  // [N,V], or [N,V+X] of a model that copies
  DecoderState state;
};

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

// x [T,B,D] -> [B,T,D]
Variable by_sentence(const Variable& x);
// The places of tokens in the flattened ids [B*T], padding left out: [sum of lengths].
Ids token_places(const Sequences& sequences);
// The targets of decode's rows: the tokens at these places.
Ids packed_targets(const Sequences& target);
// What a decoder has read before each target token [B,T]: text::kBegin, then all but the last.
Ids shifted(const Ids& target);
// UsageError naming the model unless ids and lengths fit each other and `longest` (0: any).
void check_sequences(const char* model, const Sequences& sequences, std::int64_t longest);

}  // namespace heed::models
