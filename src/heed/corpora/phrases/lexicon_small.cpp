// SPDX-License-Identifier: Apache-2.0
// The small words: times, prepositions, adverbs.
#include "heed/base/error.h"
#include "heed/corpora/phrases/lexicon.h"

namespace heed::corpora::phrases {
namespace {

const std::vector<TimeExpression>& all_times() {
  static const std::vector<TimeExpression> times = {
      {{"every day", "tous/0 les/0 jours/1"}, {Tense::present}},
      {{"today", "aujourd'hui/0"}, {Tense::progressive, Tense::past, Tense::future}},
      {{"now", "maintenant/0"}, {Tense::progressive}},
      {{"in the morning", "le/1 matin/2"}, {Tense::present}},
      {{"in the evening", "le/1 soir/2"}, {Tense::present}},
      {{"at night", "la/1 nuit/1"}, {Tense::present}},
      {{"on Sundays", "le/1 dimanche/1"}, {Tense::present}},
      {{"yesterday", "hier/0"}, {Tense::past}},
      {{"last night", "hier/0 soir/1"}, {Tense::past}},
      {{"last week", "la/1 semaine/1 dernière/0"}, {Tense::past}},
      {{"last year", "l'année/1 dernière/0"}, {Tense::past}},
      {{"two days ago", "il/2 y/2 a/2 deux/0 jours/1"}, {Tense::past}},
      {{"tomorrow", "demain/0"}, {Tense::future}},
      {{"soon", "bientôt/0"}, {Tense::future}},
      {{"next week", "la/1 semaine/1 prochaine/0"}, {Tense::future}},
      {{"next year", "l'année/1 prochaine/0"}, {Tense::future}},
      {{"in two days", "dans/0 deux/1 jours/2"}, {Tense::future}},
  };
  return times;
}

constexpr Preposition kPrepositions[] = {
    {{"in", "dans/0"}, kPlace},
    {{"on", "sur/0"}, kSurface},
    {{"under", "sous/0"}, kShelter},
    {{"behind", "derrière/0"}, kLandmark},
    {{"in front of", "devant/1"}, kLandmark},
    {{"near", "près/0 de/0"}, kLandmark},
    {{"next to", "à/0 côté/0 de/1"}, kLandmark},
};

constexpr Expression kAdverbs[] = {
    {"often", "souvent/0"},
    {"always", "toujours/0"},
    {"sometimes", "parfois/0"},
    {"rarely", "rarement/0"},
};

}  // namespace

std::span<const TimeExpression> times() {
  return all_times();
}

std::span<const Preposition> prepositions() {
  return kPrepositions;
}

std::span<const Expression> adverbs() {
  return kAdverbs;
}

const Preposition& preposition(std::string_view english) {
  for (const Preposition& entry : kPrepositions) {
    if (entry.words.english == english) return entry;
  }
  throw InternalError("phrases: no preposition \"{}\"", english);
}

const TimeExpression& time_expression(std::string_view english) {
  for (const TimeExpression& entry : all_times()) {
    if (entry.words.english == english) return entry;
  }
  throw InternalError("phrases: no time \"{}\"", english);
}

const Expression& adverb(std::string_view english) {
  for (const Expression& entry : kAdverbs) {
    if (entry.english == english) return entry;
  }
  throw InternalError("phrases: no adverb \"{}\"", english);
}

}  // namespace heed::corpora::phrases
