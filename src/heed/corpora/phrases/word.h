// SPDX-License-Identifier: Apache-2.0
// Words on their way to a sentence: not yet joined, elided or capitalised, but knowing what they
// mean.
//
// Words of the two languages that share a meaning are linked; that is how the gold alignments come
// about. Of the words of the other language a French word has at most one sure link: the one that
// it translates. Links to what grammar adds (auxiliaries, particles, articles) are possible ones.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace heed::corpora::phrases {

struct Meaning {
  int id = 0;
  bool sure = true;  // a link is sure when it is on both sides
};

using Senses = std::vector<Meaning>;

// What French contracts: "de" and "à" with the articles "le" and "les".
enum class Role { plain, de, a, article };

struct Word {
  std::string text = {};
  Senses senses = {};
  std::string before_vowel = {};  // "l'", "cet", "an"; empty: the same as text
  Role role = Role::plain;
  bool attached = false;  // to the word before: "n't", "'s", "."
};

using Words = std::vector<Word>;

// A part of a sentence in both languages.
struct Phrase {
  Words english = {};
  Words french = {};
};

inline void append(Words& words, Words more) {
  words.insert(words.end(), std::make_move_iterator(more.begin()),
               std::make_move_iterator(more.end()));
}

inline void append(Phrase& phrase, Phrase more) {
  append(phrase.english, std::move(more.english));
  append(phrase.french, std::move(more.french));
}

// Hands out meanings, each but once in a sentence.
class Meanings {
 public:
  Meaning fresh() { return {.id = next_++}; }

 private:
  int next_ = 0;
};

inline Meaning possible(Meaning meaning) {
  return {.id = meaning.id, .sure = false};
}

}  // namespace heed::corpora::phrases
