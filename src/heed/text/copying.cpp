// SPDX-License-Identifier: Apache-2.0
// Source tokens as target tokens: by their text, looked up once for the whole vocabulary.
#include "heed/text/copying.h"

#include <algorithm>

#include "heed/base/error.h"

namespace heed::text {
namespace {

bool keeps_text(const Tokeniser& tokeniser) {
  return tokeniser.kind() != TokeniserKind::bpe && tokeniser.kind() != TokeniserKind::unigram;
}

}  // namespace

Copier::Copier(const Tokeniser& source, const Tokeniser& target) : target_(target) {
  if (&source != &target && (source.kind() != target.kind() || !keeps_text(source))) {
    throw UsageError(
        "copying: source tokens are {}, target tokens {}, in two vocabularies; pieces of words can "
        "be copied within one (--shared-vocabulary), words (--tokeniser words) within two",
        name_of(source.kind()), name_of(target.kind()));
  }
  for (Token token = 0; token < source.size(); ++token) {
    const bool same = &source == &target || token < kFirstPiece;
    known_.push_back(same ? token : target.find(source.piece(token)));
    texts_.push_back(known_.back() == kUnknown && token != kUnknown ? source.piece(token) : "");
  }
}

// Of a word that the source's or the target's vocabulary lacks: the target's, or the sentence's
// own.
Token Copier::token_of(const std::string& word, std::vector<std::string>& own) const {
  if (const Token known = target_.find(word); known != kUnknown) return known;
  const auto found = std::ranges::find(own, word);
  const Token token = target_.size() + static_cast<Token>(found - own.begin());
  if (found == own.end()) own.push_back(word);
  return token;
}

CopiedSource Copier::source(const Encoding& source) const {
  CopiedSource copied;
  auto unknown = source.unknown.begin();
  for (const Token token : source.tokens) {
    const auto place = static_cast<std::size_t>(token);
    if (token == kUnknown && unknown != source.unknown.end()) {
      copied.tokens.push_back(token_of(*unknown++, copied.own));
    } else if (known_[place] == kUnknown && token != kUnknown) {
      copied.tokens.push_back(token_of(texts_[place], copied.own));
    } else {
      copied.tokens.push_back(known_[place]);
    }
  }
  return copied;
}

Tokens Copier::target(const Encoding& target, const CopiedSource& source) const {
  Tokens tokens = target.tokens;
  auto unknown = target.unknown.begin();
  for (Token& token : tokens) {
    if (token != kUnknown || unknown == target.unknown.end()) continue;
    const auto found = std::ranges::find(source.own, *unknown++);
    if (found != source.own.end()) {
      token = target_.size() + static_cast<Token>(found - source.own.begin());
    }
  }
  return tokens;
}

void forget_uncopied(const Tokens& copies, Token vocabulary, Tokens& target) {
  for (Token& token : target) {
    if (token >= vocabulary && std::ranges::count(copies, token) == 0) token = kUnknown;
  }
}

}  // namespace heed::text
