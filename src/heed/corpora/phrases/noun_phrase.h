// SPDX-License-Identifier: Apache-2.0
// Noun phrases written in both languages: articles, agreement, the order of adjectives.
#pragma once

#include "heed/corpora/phrases/tree.h"
#include "heed/corpora/phrases/word.h"

namespace heed::corpora::phrases {

// What French articles depend on. Under negation the indefinite ones of an object become "de";
// after the preposition "de" those of several and of substances vanish.
enum class Setting { plain, negated, after_de };

Phrase write(const NounPhrase& phrase, Meanings& meanings, Setting setting = Setting::plain);

// A preposition with its noun phrase.
Phrase write(const Place& place, Meanings& meanings);

// A fixed expression; each French word has its one sure link and possible ones to the others.
Phrase write(const Expression& expression, Meanings& meanings);

// "de", "à" or any other preposition.
Word french_preposition(std::string_view text, Senses senses);

// The words of text, all with these senses.
Words words_of(std::string_view text, const Senses& senses);

// One that drops its last vowel before another: "que" and "qu'".
Word eliding(std::string_view text, Senses senses);

}  // namespace heed::corpora::phrases
