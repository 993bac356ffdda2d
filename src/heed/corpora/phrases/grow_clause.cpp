// SPDX-License-Identifier: Apache-2.0
// Choosing verbs, tenses, objects and the rest of a clause.
#include "heed/corpora/phrases/grow_clause.h"

#include <algorithm>

#include "heed/corpora/phrases/grow_noun_phrase.h"

namespace heed::corpora::phrases {
namespace {

using D = Determiner;

bool takes_direct_object(const Verb& verb) {
  return verb.objects != 0 && verb.preposition.empty();
}
bool is_state(const Verb& verb) {
  return !verb.french.imperfect.empty();
}

Tense grow_tense(Random& random, const Verb* verb, const std::optional<Tense>& wished) {
  const double progressive = verb != nullptr && !verb->ing.empty() ? 20 : 0;
  const double past = verb == nullptr || !verb->past.empty() ? 28 : 0;
  if (wished == Tense::present) {
    return pick_weighted<Tense>(random, {{Tense::present, 35}, {Tense::progressive, progressive}});
  }
  if (wished && (*wished != Tense::past || past > 0)) return *wished;
  return pick_weighted<Tense>(random, {{Tense::present, 35},
                                       {Tense::progressive, progressive},
                                       {Tense::past, past},
                                       {Tense::future, 17}});
}

void negate(Random& random, Clause& clause, double probability) {
  if (!chance(random, probability)) return;
  const double never = clause.tense == Tense::progressive ? 0 : 2;
  clause.negation = pick_weighted<Negation>(
      random, {{Negation::full, 4}, {Negation::contracted, 4}, {Negation::never, never}});
}

void add_time(Random& random, Clause& clause, double probability) {
  if (clause.modal != Modal::none || clause.negation == Negation::never ||
      !chance(random, probability)) {
    return;
  }
  std::vector<const TimeExpression*> fitting;
  for (const TimeExpression& time : times()) {
    if (std::ranges::count(time.tenses, clause.tense) > 0) fitting.push_back(&time);
  }
  if (fitting.empty()) return;
  clause.time = pick(random, std::span<const TimeExpression* const>(fitting));
  clause.time_first = chance(random, 0.25);
}

// How often: before the verb, where no time says so already.
void add_adverb(Random& random, Clause& clause, double probability) {
  const bool simple = clause.tense == Tense::present || clause.tense == Tense::past;
  if (!simple || clause.modal != Modal::none || clause.time != nullptr ||
      clause.negation == Negation::never || !chance(random, probability)) {
    return;
  }
  const bool negated = clause.negation != Negation::none;
  clause.adverb = &adverbs()[static_cast<std::size_t>(random.integer(negated ? 2 : 4))];
}

// Quantities under negation could be read in two ways: only what is definite or indefinite stays.
void simplify(NounPhrase& phrase) {
  switch (phrase.determiner) {
    case D::every:
    case D::all:
    case D::many:
    case D::several:
      phrase.determiner = D::the;
      break;
    default:
      break;
  }
}

bool same_side(Pronoun a, Pronoun b) {
  const auto first = [](Pronoun p) { return p == Pronoun::i || p == Pronoun::we; };
  return (first(a) && first(b)) || (a == Pronoun::you && b == Pronoun::you);
}

NounPhrase grow_object(Random& random, const Clause& clause, int relatives) {
  const Verb& verb = *clause.verb;
  const bool past = clause.tense == Tense::past;
  if (takes_direct_object(verb) && (verb.objects & kPerson) != 0 && chance(random, 0.25)) {
    constexpr std::array kAll = {Pronoun::he, Pronoun::she, Pronoun::they,
                                 Pronoun::i,  Pronoun::we,  Pronoun::you};
    // A participle would have to agree with the last three.
    const std::size_t allowed = past && !is_state(verb) ? 3 : kAll.size();
    const Pronoun pronoun = kAll.at(static_cast<std::size_t>(random.integer(allowed)));
    if (!same_side(pronoun, clause.subject.pronoun)) return {.pronoun = pronoun};
  }
  NounPhrase object = grow_noun_phrase(random, {.kinds = verb.objects, .relatives = relatives});
  if (verb.generic && chance(random, 0.4)) {
    object = {.noun = &grow_noun(random, kFood | kDrink | kAnimal, true), .determiner = D::bare};
    if (!object.noun->is_substance()) object.number = Number::plural;
  } else if ((object.noun->kinds & kDrink) != 0 && !verb.generic && chance(random, 0.3)) {
    const Noun* const drink = object.noun;
    object = {.noun = &grow_noun(random, kMeasure, false), .determiner = D::a};
    object.content = drink;
  }
  // "likes some bread" is neither here nor there.
  if (verb.generic && object.determiner == D::a) object.determiner = D::the;
  if (clause.negation != Negation::none) simplify(object);
  return object;
}

// Where English does not tell the gender that French needs, somebody else does it.
void avoid_vague_agreement(Random& random, Clause& clause) {
  if (clause.tense != Tense::past || !clause.verb->french.etre || !is_vague(clause.subject)) return;
  constexpr std::array kOthers = {Pronoun::he, Pronoun::she, Pronoun::they};
  clause.subject.pronoun = pick(random, std::span<const Pronoun>(kOthers));
}

const Verb& grow_verb(Random& random, const std::optional<Tense>& tense = {}) {
  for (;;) {
    const Verb& verb = pick(random, verbs());
    const bool has_tense = tense != Tense::past || !verb.past.empty();
    if (verb.subjects != 0 && has_tense) return verb;  // the weather has no subjects
  }
}

// "They read" could be past: "they are reading" cannot.
void avoid_vague_tense(Clause& clause) {
  if (clause.verb->past.empty() && clause.tense == Tense::present &&
      agreement_of(clause.subject).person != Person::he) {
    clause.tense = Tense::progressive;
  }
}

Clause grow_action(Random& random, const Verb& verb, const ClauseOptions& options) {
  Clause clause{.subject = grow_subject(random, verb.subjects, options.relatives), .verb = &verb};
  clause.tense = grow_tense(random, &verb, options.tense);
  avoid_vague_agreement(random, clause);
  avoid_vague_tense(clause);
  if (clause.tense == Tense::present && !is_state(verb) && chance(random, 0.25)) {
    clause.modal =
        pick_weighted<Modal>(random, {{Modal::can, 1}, {Modal::must, 1}, {Modal::want, 1}});
  }
  if (!options.asked) negate(random, clause, 0.22);
  if (clause.negation != Negation::none) simplify(clause.subject);
  if (!is_state(verb)) add_time(random, clause, 0.25);
  if (options.asked) clause.time_first = false;
  add_adverb(random, clause, 0.12);
  if (verb.objects != 0) clause.object = grow_object(random, clause, options.relatives);
  if (verb.recipient) {
    clause.recipient = grow_noun_phrase(random, {.kinds = kPerson, .definite = true, .plain = 0.8});
  }
  constexpr Kinds kPlaces = kPlace | kGoal;
  const bool has_place = (verb.objects & kPlaces) != 0 || (clause.object && clause.object->place);
  if (!has_place && chance(random, verb.objects != 0 ? 0.12 : 0.3)) {
    clause.place = grow_place(random);
  }
  return clause;
}

Clause grow_quality(Random& random, const ClauseOptions& options) {
  Clause clause;
  const Pronoun pronoun = pick_weighted<Pronoun>(random, {{Pronoun::none, 12},
                                                          {Pronoun::he, 2},
                                                          {Pronoun::she, 2},
                                                          {Pronoun::they, 1},
                                                          {Pronoun::i, 1},
                                                          {Pronoun::we, 1}});
  std::vector<const Adjective*> fitting;
  if (pronoun == Pronoun::none) {
    constexpr Kinds kSeen = kAnything | kDrink | kPlace;
    const Kinds kinds = chance(random, 0.4) ? Kinds{kPerson} : kSeen;
    clause.subject = grow_noun_phrase(
        random, {.kinds = kinds, .definite = true, .plain = 0.75, .relatives = options.relatives});
    if (kinds == kPerson && chance(random, 0.2)) {
      clause.subject.joined = std::make_shared<NounPhrase>(
          grow_noun_phrase(random, {.kinds = kPerson, .definite = true, .plain = 0.9}));
    }
    fitting = fitting_adjectives(*clause.subject.noun, true);
  } else {
    clause.subject.pronoun = pronoun;
    fitting = fitting_adjectives(noun("man"), true);
    if (is_vague(clause.subject)) {
      std::erase_if(fitting, [](const auto* word) { return word->masculine != word->feminine; });
    }
  }
  std::erase_if(fitting, [&](const Adjective* word) {  // "the red car is red"
    return std::ranges::count(clause.subject.adjectives, word) > 0;
  });
  clause.quality = pick(random, std::span<const Adjective* const>(fitting));
  clause.tense = grow_tense(random, nullptr, options.tense);
  if (!options.asked) negate(random, clause, 0.2);
  if (!clause.quality->has_degrees()) return clause;
  clause.degree = pick_weighted<Degree>(random, {{Degree::plain, 50},
                                                 {Degree::very, 15},
                                                 {Degree::too, 6},
                                                 {Degree::more, 14},
                                                 {Degree::less, 4},
                                                 {Degree::as, 4}});
  const bool compares = clause.degree >= Degree::more;
  if (compares) {
    const Kinds kinds =
        clause.subject.noun != nullptr ? clause.subject.noun->kinds : Kinds{kPerson};
    clause.than = grow_noun_phrase(
        random, {.kinds = kinds & (kAnything | kDrink | kPlace), .definite = true, .plain = 0.9});
    if (clause.than->noun == clause.subject.noun) clause.than->determiner = D::your;
  } else {
    add_adverb(random, clause, 0.1);
  }
  return clause;
}

Clause grow_where(Random& random, const ClauseOptions& options) {
  Clause clause{
      .subject = grow_noun_phrase(random, {.kinds = kThing | kText | kClothes | kPerson | kAnimal,
                                           .definite = true,
                                           .plain = 0.7})};
  clause.subject.place.reset();
  clause.tense = grow_tense(random, nullptr, options.tense);
  if (!options.asked) negate(random, clause, 0.2);
  clause.place = grow_place(random);
  return clause;
}

Clause grow_there(Random& random, const ClauseOptions& options) {
  Clause clause{.subject = {.pronoun = Pronoun::there}};
  clause.tense = grow_tense(random, nullptr, options.tense);
  if (!options.asked) negate(random, clause, 0.25);
  NounPhrase object =
      grow_noun_phrase(random, {.kinds = kThing | kAnimal | kPerson | kFood | kText, .plain = 0.7});
  object.place.reset();
  object.owner.reset();
  const bool many = object.determiner == D::two || object.determiner == D::three ||
                    object.determiner == D::many || object.determiner == D::several;
  if (!many || clause.negation != Negation::none) object.determiner = D::a;
  clause.object = std::move(object);
  clause.place = grow_place(random);
  return clause;
}

Clause grow_weather(Random& random, const ClauseOptions& options) {
  Clause clause{.subject = {.pronoun = Pronoun::it}};
  clause.verb = chance(random, 0.6) ? &verb("rain") : &verb("snow");
  clause.tense = grow_tense(random, clause.verb, options.tense);
  if (!options.asked) negate(random, clause, 0.15);
  add_time(random, clause, 0.5);
  if (options.asked) clause.time_first = false;
  add_adverb(random, clause, 0.2);
  return clause;
}

Clause grow_speech(Random& random, const ClauseOptions& options) {
  Clause clause{.subject = grow_subject(random, kPerson, 0),
                .verb = &pick(random, verbs_of_speech())};
  ClauseOptions said = options;
  said.speech = false;
  said.tense = {};
  Clause inner = grow_clause(random, said);
  inner.time_first = false;
  clause.that = std::make_shared<Clause>(std::move(inner));
  return clause;
}

}  // namespace

NounPhrase grow_subject(Random& random, Kinds kinds, int relatives) {
  const bool person = (kinds & kPerson) != 0;
  if (person && chance(random, 0.42)) {
    constexpr std::array kAll = {Pronoun::i,  Pronoun::he,  Pronoun::she,
                                 Pronoun::we, Pronoun::you, Pronoun::they};
    return {.pronoun = pick(random, std::span<const Pronoun>(kAll))};
  }
  if (person && chance(random, 0.7)) kinds = kPerson;
  NounPhrase subject = grow_noun_phrase(random, {.kinds = kinds, .relatives = relatives});
  if (!subject.relative && chance(random, 0.07)) {
    subject.joined = std::make_shared<NounPhrase>(
        grow_noun_phrase(random, {.kinds = kinds, .definite = true, .plain = 0.8}));
  }
  return subject;
}

Clause grow_clause(Random& random, const ClauseOptions& options) {
  enum class Shape { action, quality, where, there, weather, speech };
  const Shape shape = pick_weighted<Shape>(random, {{Shape::action, 66},
                                                    {Shape::quality, 15},
                                                    {Shape::where, 5},
                                                    {Shape::there, 7},
                                                    {Shape::weather, 2},
                                                    {Shape::speech, options.speech ? 5.0 : 0.0}});
  switch (shape) {
    case Shape::action:
      return grow_action(random, grow_verb(random), options);
    case Shape::quality:
      return grow_quality(random, options);
    case Shape::where:
      return grow_where(random, options);
    case Shape::there:
      return grow_there(random, options);
    case Shape::weather:
      return grow_weather(random, options);
    case Shape::speech:
      return grow_speech(random, options);
  }
  return {};
}

Clause grow_with_direct_object(Random& random, const ClauseOptions& options) {
  for (;;) {
    const Verb& verb = grow_verb(random);
    if (takes_direct_object(verb) && (verb.objects & kGoods) != 0 && !verb.generic) {
      return grow_action(random, verb, options);
    }
  }
}

Clause grow_without_object(Random& random, const ClauseOptions& options) {
  for (;;) {
    const Verb& verb = grow_verb(random);
    if (verb.objects == 0 && verb.state.empty()) return grow_action(random, verb, options);
  }
}

std::shared_ptr<const Clause> grow_relative(Random& random, const Noun& head, int relatives) {
  const NounPhrase gap{.pronoun = Pronoun::gap};
  const auto tense = pick_weighted<Tense>(random, {{Tense::present, 2}, {Tense::past, 1}});
  const bool living = (head.kinds & (kPerson | kAnimal)) != 0;
  if (!living && chance(random, 0.4)) {  // "that is on the table"
    return std::make_shared<Clause>(
        Clause{.subject = gap, .tense = tense, .place = grow_place(random)});
  }
  const bool as_subject = living && chance(random, 0.6);
  for (int attempt = 0; attempt < 1000; ++attempt) {
    const Verb& verb = grow_verb(random, tense);
    if (as_subject && (verb.subjects & head.kinds) != 0) {
      Clause clause = grow_action(random, verb, {.tense = tense, .relatives = relatives});
      clause.subject = gap;
      clause.time = nullptr;
      clause.time_first = false;
      return std::make_shared<Clause>(std::move(clause));
    }
    if (!as_subject && takes_direct_object(verb) && !verb.recipient &&
        (verb.objects & head.kinds) != 0) {
      Clause clause{.subject = grow_subject(random, verb.subjects, 0), .verb = &verb};
      clause.tense = grow_tense(random, &verb, tense);
      avoid_vague_agreement(random, clause);
      avoid_vague_tense(clause);
      clause.object = gap;
      return std::make_shared<Clause>(std::move(clause));
    }
  }
  return std::make_shared<Clause>(
      Clause{.subject = gap, .tense = tense, .place = grow_place(random)});
}

}  // namespace heed::corpora::phrases
