// SPDX-License-Identifier: Apache-2.0
// The contract of models that continue a text: they read tokens after a carried state and score
// what comes next. Many tokens at once (training, scoring) and one by one (generation) give the
// same numbers.
//
// Letters: B tracks of text, T tokens, D features, V vocabulary.
#pragma once  // public header

#include "heed/models/call.h"
#include "heed/models/state.h"
#include "heed/models/tie.h"
#include "heed/nn/module.h"

#pragma GCC visibility push(default)  // exported

namespace heed::models {

struct Reading {
  Variable hidden;     // [B,T,D], what the logits are made of
  DecoderState state;  // after the last token
};

class LanguageModel {
 public:
  virtual ~LanguageModel() = default;
  virtual void visit(nn::ParameterVisitor& visitor) = 0;

  virtual std::int64_t vocabulary() const = 0;
  // The most tokens it can read from a start; 0: any number.
  virtual std::int64_t longest() const { return 0; }
  // Tokens after which what it remembers changes; 0: there is no such place.
  virtual std::int64_t segment() const { return 0; }
  // Before the first token of each of B tracks.
  virtual DecoderState start(std::int64_t tracks) const = 0;
  // The same, to remember so many states of the text instead of as many as it learnt with.
  // UsageError of a model without such a memory.
  virtual DecoderState start_remembering(std::int64_t tracks, std::int64_t memory) const;
  // Reads tokens [B,T] that resume where the state is. UsageError where they do not fit it.
  virtual Reading read(const DecoderState& state, const Ids& tokens, const Call& call) const = 0;
  // hidden [...,D] -> [...,V], of the token after each.
  virtual Variable logits(const Variable& hidden) const = 0;

  // Reads one token of each track [B] and scores the next [B,V].
  Step step(const DecoderState& state, const Ids& tokens, const Call& call) const;
};

// UsageError naming the model unless tokens are [B,T] with T above 0 and have room after the
// state.
void check_tokens(const char* model, const LanguageModel& reader, const DecoderState& state,
                  const Ids& tokens);

}  // namespace heed::models

#pragma GCC visibility pop
