// SPDX-License-Identifier: Apache-2.0
// Choosing nouns, articles and adjectives.
#include "heed/corpora/phrases/grow_noun_phrase.h"

#include "heed/base/error.h"
#include "heed/corpora/phrases/grow_clause.h"

namespace heed::corpora::phrases {
namespace {

using D = Determiner;

Determiner possessive(Random& random) {
  constexpr std::array kAll = {D::my, D::your, D::his, D::her, D::our, D::their};
  return pick(random, std::span<const D>(kAll));
}

Determiner grow_determiner(Random& random, const NounPhrase& phrase, bool definite) {
  // Nobody has a station of his own.
  const D own = (phrase.noun->kinds & kGoal) != 0 ? D::the : possessive(random);
  if (definite || phrase.noun->is_substance()) {
    const double indefinite = definite ? 0 : 1.2;
    return pick_weighted<D>(random,
                            {{D::the, 1}, {D::this_, 0.15}, {own, 0.3}, {D::a, indefinite}});
  }
  if (phrase.number == Number::singular) {
    return pick_weighted<D>(
        random, {{D::the, 45}, {D::a, 22}, {D::this_, 7}, {D::that, 4}, {own, 18}, {D::every, 3}});
  }
  return pick_weighted<D>(random, {{D::the, 40},
                                   {D::a, 18},
                                   {D::this_, 6},
                                   {D::that, 3},
                                   {own, 15},
                                   {D::two, 4},
                                   {D::three, 4},
                                   {D::four, 2},
                                   {D::ten, 2},
                                   {D::all, 4},
                                   {D::many, 4},
                                   {D::several, 4}});
}

void add_adjectives(Random& random, NounPhrase& phrase, double plain) {
  const std::vector<const Adjective*> fitting = fitting_adjectives(*phrase.noun, false);
  if (fitting.empty() || chance(random, plain)) return;
  const Adjective* const first = pick(random, std::span<const Adjective* const>(fitting));
  phrase.adjectives = {first};
  // A second one is on the other side of the French noun, and after it in English.
  if (!first->before || !chance(random, 0.25)) return;
  const Adjective* const second = pick(random, std::span<const Adjective* const>(fitting));
  if (!second->before) phrase.adjectives.push_back(second);
}

void add_owner(Random& random, NounPhrase& phrase) {
  NounPhrase owner{.noun = &grow_noun(random, kPerson, false)};
  if (chance(random, 0.2)) owner.number = Number::plural;
  if (chance(random, 0.3)) owner.determiner = possessive(random);
  phrase.owner = std::make_shared<NounPhrase>(std::move(owner));
}

}  // namespace

const Noun& grow_noun(Random& random, Kinds kinds, bool substance) {
  std::vector<const Noun*> fitting;
  for (const Noun& noun : nouns()) {
    if ((noun.kinds & kinds) != 0 && (substance || !noun.is_substance())) fitting.push_back(&noun);
  }
  if (fitting.empty()) throw InternalError("phrases: no noun of the kinds {:#x}", kinds);
  return *pick(random, std::span<const Noun* const>(fitting));
}

std::vector<const Adjective*> fitting_adjectives(const Noun& noun, bool predicate) {
  std::vector<const Adjective*> fitting;
  for (const Adjective& adjective : adjectives()) {
    const bool fits =
        noun.is_substance() ? (adjective.kinds & kDrink) != 0 : (adjective.kinds & noun.kinds) != 0;
    if (fits && !(predicate && adjective.attribute_only)) fitting.push_back(&adjective);
  }
  return fitting;
}

Place grow_place(Random& random) {
  const Preposition& preposition =
      chance(random, 0.45) ? prepositions().front() : pick(random, prepositions());
  const NounOptions options{.kinds = preposition.objects, .definite = true, .plain = 0.8};
  return {&preposition, std::make_shared<NounPhrase>(grow_noun_phrase(random, options))};
}

NounPhrase grow_noun_phrase(Random& random, const NounOptions& options) {
  NounPhrase phrase{.noun = &grow_noun(random, options.kinds, options.substance)};
  if (!phrase.noun->is_substance() && chance(random, 0.3)) phrase.number = Number::plural;
  phrase.determiner = grow_determiner(random, phrase, options.definite);
  add_adjectives(random, phrase, options.plain);
  constexpr Kinds kOwned = kThing | kClothes | kAnimal | kText;
  const bool the = phrase.determiner == D::the;
  if (the && (phrase.noun->kinds & kOwned) != 0 && chance(random, 0.12)) {
    add_owner(random, phrase);
  } else if (the && (phrase.noun->kinds & (kThing | kText)) != 0 && chance(random, 0.08)) {
    phrase.place = grow_place(random);
  } else if (options.relatives > 0 && !phrase.noun->is_substance() && chance(random, 0.14)) {
    phrase.relative = grow_relative(random, *phrase.noun, options.relatives - 1);
  }
  return phrase;
}

}  // namespace heed::corpora::phrases
