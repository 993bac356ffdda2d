// SPDX-License-Identifier: Apache-2.0
// Helpers of tests: trees in few words.
#pragma once

#include <memory>
#include <utility>

#include "heed/corpora/phrases/tree.h"

namespace heed::corpora::phrases::test {

inline NounPhrase np(Determiner determiner, std::string_view english,
                     const std::vector<std::string_view>& adjectives = {}) {
  NounPhrase phrase{.noun = &noun(english), .determiner = determiner};
  for (const std::string_view word : adjectives) phrase.adjectives.push_back(&adjective(word));
  return phrase;
}
inline NounPhrase the(std::string_view english,
                      const std::vector<std::string_view>& adjectives = {}) {
  return np(Determiner::the, english, adjectives);
}
inline NounPhrase a(std::string_view english,
                    const std::vector<std::string_view>& adjectives = {}) {
  return np(Determiner::a, english, adjectives);
}
inline NounPhrase plural(NounPhrase phrase) {
  phrase.number = Number::plural;
  return phrase;
}
inline NounPhrase pronoun(Pronoun which) {
  return {.pronoun = which};
}
inline NounPhrase both(NounPhrase first, NounPhrase second) {
  first.joined = std::make_shared<NounPhrase>(std::move(second));
  return first;
}
inline NounPhrase with_owner(NounPhrase phrase, NounPhrase owner) {
  phrase.owner = std::make_shared<NounPhrase>(std::move(owner));
  return phrase;
}
inline NounPhrase which(NounPhrase phrase, Clause clause) {
  phrase.relative = std::make_shared<Clause>(std::move(clause));
  return phrase;
}
inline Place place(std::string_view english, NounPhrase where) {
  return {&preposition(english), std::make_shared<NounPhrase>(std::move(where))};
}

}  // namespace heed::corpora::phrases::test
