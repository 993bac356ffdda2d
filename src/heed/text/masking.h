// SPDX-License-Identifier: Apache-2.0
// Masking: which tokens of a text a masked language model must guess, and what it sees in their
// place (Devlin 2019, section 3.1).
//
// A hidden token reads as the tokeniser's mask, which is kUnknown unless it was imported: a word
// that is hidden and a word the vocabulary lacks are the same question, and a classifier that
// starts from such a model knows what to make of the latter.
#pragma once

#include <cstdint>
#include <span>

#include "heed/base/random.h"
#include "heed/text/token.h"

namespace heed::text {

struct MaskingOptions {
  double share = .15;        // of tokens (or words) that are to be guessed; at least one is
  double hidden = .8;        // of these: shown as the mask
  double replaced = .1;      // of these: shown as a random piece; the rest as they are
  bool whole_words = false;  // all tokens of a word together, or none
  std::uint64_t seed = 1;
  Token mask = kUnknown;  // what a hidden token reads as
};

struct Masked {
  Tokens tokens{};                     // as the model sees them
  std::vector<std::int32_t> places{};  // of those to be guessed, in rising order; may be none
  Tokens wanted{};                     // what is there
};

// `words` gives each token's word, -1 for one that is never masked, like the end; kUnknown is never
// masked either. UsageError for shares outside 0 to 1.
Masked masked(const Tokens& tokens, std::span<const std::int32_t> words, Token vocabulary,
              const MaskingOptions& options, Random& random);

// The generator of one line in one epoch: the same masks whatever is read beside it, others in the
// next epoch.
Random masking_random(const MaskingOptions& options, std::uint64_t epoch, std::uint64_t line);

}  // namespace heed::text
