// SPDX-License-Identifier: Apache-2.0
// Constraints: what a search may write whatever the model says: lengths, forced
// beginnings, forbidden tokens, n-gram blocking, a penalty on repeated tokens.
#pragma once  // public header

#include <cstdint>
#include <span>
#include <vector>

#include "heed/tensor/real.h"
#include "heed/text/token.h"

#pragma GCC visibility push(default)  // exported

namespace heed::decoding {

// per_source * S + constant, rounded down; S the source's tokens with its end, 0 without a source.
struct LengthLimit {
  double per_source = 0;
  double constant = 0;
};

// Lengths count every token written, the end included.
struct Constraints {
  LengthLimit least{.per_source = 0, .constant = 1};
  // A hypothesis of this length that has not ended is cut: it is given back unfinished.
  LengthLimit most{.per_source = 2, .constant = 50};
  text::Tokens forbidden{text::kPadding, text::kBegin};
  int unrepeated = 0;  // block repeated n-grams of this length; 0: off
  // The log-probability of a token already written is multiplied by this, 1 or more. Keskar 2019
  // divides positive logits by it; a log-probability is a logit below zero.
  double repetition_penalty = 1;
  std::vector<text::Tokens> prefixes{};  // how each sentence begins; empty: as it likes
};

// What the constraints mean for one sentence.
struct SentenceLimits {
  std::int64_t least = 1;
  std::int64_t most = 1;
  text::Tokens prefix{};
};

struct Sentences {
  std::int64_t count = 0;
  std::span<const std::int32_t> source_lengths{};  // one per sentence, or none
  std::int64_t longest = 0;                        // caps every length; 0: nothing does
};
// UsageError naming sentence and limits where they leave no room.
std::vector<SentenceLimits> sentence_limits(const Constraints& constraints,
                                            const Sentences& sentences);

// UsageError for a forbidden or forced token outside a vocabulary of V.
void check_tokens(const Constraints& constraints, std::int64_t vocabulary);

// A log-probability that a constraint has changed, as it was.
struct Changed {
  text::Token token;
  Real before;
};

// Puts -inf into a row of log-probabilities [V] wherever the next token of a hypothesis must not
// be, and penalises repetition; returns what the penalty changed. `history` is what the hypothesis
// has written so far.
std::vector<Changed> constrain(const Constraints& constraints, const SentenceLimits& limits,
                               std::span<const text::Token> history, std::span<Real> row);

}  // namespace heed::decoding

#pragma GCC visibility pop
