// SPDX-License-Identifier: Apache-2.0
// What of a source can be copied into its target: its tokens as tokens of the target, and its
// out-of-vocabulary words, numbered after the target's vocabulary for each sentence separately.
#pragma once

#include <string>
#include <vector>

#include "heed/text/token.h"
#include "heed/text/tokeniser.h"

namespace heed::text {

struct CopiedSource {
  Tokens tokens{};                 // for each token of the source, the target's; kUnknown: none
  std::vector<std::string> own{};  // the word of token target.size() + i
};

class Copier {
 public:
  // The tokenisers must outlive it. UsageError for subwords of two vocabularies: a piece of one is
  // no piece of the other.
  Copier(const Tokeniser& source, const Tokeniser& target);

  CopiedSource source(const Encoding& source) const;
  // The target's tokens; an unknown word that its source has is the source's own.
  Tokens target(const Encoding& target, const CopiedSource& source) const;

 private:
  Token token_of(const std::string& word, std::vector<std::string>& own) const;

  const Tokeniser& target_;
  // For each source token the target's, or kUnknown, and then its text.
  Tokens known_{};
  std::vector<std::string> texts_{};
};

// Tokens of the target with what no place of the source holds any more made unknown: after a crop.
void forget_uncopied(const Tokens& copies, Token vocabulary, Tokens& target);

}  // namespace heed::text
