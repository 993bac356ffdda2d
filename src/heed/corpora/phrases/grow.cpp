// SPDX-License-Identifier: Apache-2.0
// Choosing between statements and questions, and joining clauses.
#include "heed/corpora/phrases/grow.h"

#include "heed/corpora/phrases/grow_clause.h"
#include "heed/corpora/phrases/grow_noun_phrase.h"

namespace heed::corpora::phrases {
namespace {

Sentence grow_question(Random& random) {
  const ClauseOptions options{.asked = true, .speech = false};
  enum class Kind { yes_no, where_is, where, why, what, how_many, who };
  const auto kind = pick_weighted<Kind>(random, {{Kind::yes_no, 35},
                                                 {Kind::where_is, 12},
                                                 {Kind::where, 10},
                                                 {Kind::why, 15},
                                                 {Kind::what, 12},
                                                 {Kind::how_many, 12},
                                                 {Kind::who, 10}});
  Sentence sentence;
  Clause clause;
  switch (kind) {
    case Kind::yes_no:
      sentence.question = Question::yes_no;
      clause = grow_clause(random, options);
      break;
    case Kind::why:
      sentence.question = Question::why;
      clause = grow_clause(random, options);
      break;
    case Kind::where_is:
      sentence.question = Question::where;
      clause.subject = grow_noun_phrase(
          random, {.kinds = kAnything, .definite = true, .substance = false, .plain = 0.6});
      clause.subject.place.reset();
      clause.tense = chance(random, 0.75) ? Tense::present : Tense::past;
      break;
    case Kind::where:
      sentence.question = Question::where;
      clause = grow_without_object(random, options);
      clause.place.reset();
      break;
    case Kind::what:
      sentence.question = Question::what;
      clause = grow_with_direct_object(random, options);
      clause.object.reset();
      break;
    case Kind::how_many: {
      sentence.question = Question::how_many;
      clause = grow_with_direct_object(random, options);
      constexpr Kinds kCounted = kThing | kFood | kText | kClothes;
      const Kinds kinds = clause.verb->objects & kCounted;
      clause.object = {.noun = &grow_noun(random, kinds, false),
                       .determiner = Determiner::how_many,
                       .number = Number::plural};
      break;
    }
    case Kind::who:
      clause = grow_with_direct_object(random, options);
      clause.subject = {.pronoun = Pronoun::who};
      break;
  }
  sentence.clauses = {std::move(clause)};
  return sentence;
}

Conjunction grow_conjunction(Random& random, Tense tense) {
  const bool present = tense == Tense::present;
  return pick_weighted<Conjunction>(random,
                                    {{Conjunction::and_, 30},
                                     {Conjunction::but, 25},
                                     {Conjunction::because, 25},
                                     {Conjunction::when, tense != Tense::future ? 12.0 : 0.0},
                                     {Conjunction::while_, present ? 8.0 : 0.0}});
}

}  // namespace

Sentence grow_sentence(Random& random, const GrowOptions& options) {
  if (options.clauses == 1) {
    if (chance(random, 0.15)) return grow_question(random);
    return {.clauses = {grow_clause(random, {.relatives = options.relatives})}};
  }
  // Clauses that are joined share their tense: "when he saw", not "when he will see".
  const auto tense =
      pick_weighted<Tense>(random, {{Tense::present, 5}, {Tense::past, 3}, {Tense::future, 2}});
  Sentence sentence;
  for (int i = 0; i < options.clauses; ++i) {
    Clause clause = grow_clause(
        random, {.tense = tense, .speech = false, .relatives = i == 0 ? options.relatives : 0});
    clause.time_first = clause.time_first && i == 0;
    sentence.clauses.push_back(std::move(clause));
    if (i > 0) sentence.joins.push_back(grow_conjunction(random, tense));
  }
  const bool subordinate =
      sentence.joins[0] != Conjunction::and_ && sentence.joins[0] != Conjunction::but;
  if (options.clauses == 2 && subordinate && chance(random, 0.4)) {
    sentence.turned = true;
    for (Clause& clause : sentence.clauses) clause.time_first = false;
  }
  return sentence;
}

}  // namespace heed::corpora::phrases
