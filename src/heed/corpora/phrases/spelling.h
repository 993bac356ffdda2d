// SPDX-License-Identifier: Apache-2.0
// Spelling: words become text. Elision, contraction, capitals and spaces; and of every word between
// spaces the meanings it carries.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "heed/corpora/phrases/word.h"
#include "heed/text/pharaoh.h"

namespace heed::corpora::phrases {

struct Spelt {
  std::string text = {};
  std::vector<Senses> words = {};  // of each word between spaces
};

// "a" becomes "an" before a vowel; the first letter is a capital.
Spelt spell_english(const Words& words);

// "le homme" becomes "l'homme", "de le" "du", "ce arbre" "cet arbre"; the first letter is a
// capital. An elided word and a contracted article lend their word no sure link: "l'homme" is
// "man", and "the" only possibly.
Spelt spell_french(const Words& words);

// Whether a French word elides the one before it: a vowel, or an h that is not aspirated.
bool begins_with_vowel(std::string_view french);

// The links between words that share a meaning.
text::Alignment align(const Spelt& source, const Spelt& target);

}  // namespace heed::corpora::phrases
