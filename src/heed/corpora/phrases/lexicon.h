// SPDX-License-Identifier: Apache-2.0
// The words of the phrases, with their forms in both languages and what they go with.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace heed::corpora::phrases {

enum class Gender { masculine, feminine };
enum class Number { singular, plural };

// What a noun can be: verbs, adjectives and prepositions say which kinds they go with.
using Kinds = std::uint32_t;
enum Kind : Kinds {
  kPerson = 1 << 0,
  kAnimal = 1 << 1,
  kThing = 1 << 2,
  kFood = 1 << 3,
  kDrink = 1 << 4,
  kText = 1 << 5,
  kClothes = 1 << 6,
  kPlace = 1 << 7,      // one is in it
  kGoal = 1 << 8,       // one goes to it
  kSurface = 1 << 9,    // things are on it
  kShelter = 1 << 10,   // things are under it
  kLandmark = 1 << 11,  // things are near it
  kOpens = 1 << 12,
  kContainer = 1 << 13,
  kWooden = 1 << 14,
  kBuilt = 1 << 15,
  kMeasure = 1 << 16,  // a glass of water
  kPool = 1 << 17,     // animals one listens to
};
inline constexpr Kinds kLiving = kPerson | kAnimal;
inline constexpr Kinds kGoods = kThing | kFood | kText | kClothes;
inline constexpr Kinds kAnything = kLiving | kGoods;

struct Noun {
  std::string_view english;
  std::string_view french;
  Gender gender;
  Kinds kinds;
  std::string_view english_plural = {};  // empty: by rule; of a substance "-", it has none
  std::string_view french_plural = {};   // empty: by rule

  bool is_substance() const { return english_plural == "-"; }
  std::string english_form(Number number) const;
  std::string french_form(Number number) const;
};

struct Adjective {
  std::string_view english;
  std::string_view masculine;
  std::string_view feminine;
  Kinds kinds;
  std::string_view comparative = {};   // empty: "more ENGLISH"; "-": it has no degrees
  bool before = false;                 // the noun
  std::string_view before_vowel = {};  // the masculine: "bel"; empty: the same
  bool attribute_only = false;         // never after "is"

  bool has_degrees() const { return comparative != "-"; }
  std::string french_form(Gender gender, Number number) const;
};

// Who does it, as verbs distinguish them: "I", "he", "we", "you", "they".
enum class Person { i, he, we, you, they };

// French forms by Person.
using Forms = std::array<std::string, 5>;

struct FrenchVerb {
  std::string_view infinitive;
  std::string_view present = {};     // five forms; empty: by rule for -er
  std::string_view participle = {};  // empty: by rule for -er
  std::string_view future = {};      // stem; empty: the infinitive
  std::string_view imperfect = {};   // stem; not empty: the past is the imperfect, a state
  bool etre = false;                 // its compound past takes être
  bool reflexive = false;

  Forms present_forms() const;
  Forms future_forms() const;
  Forms imperfect_forms() const;
  std::string participle_form(Gender gender, Number number) const;
};

struct Verb {
  std::string_view english;        // "be" for states such as "be hungry"
  std::string_view past = {};      // empty: it is spelt as the present, so there is none
  std::string_view ing = {};       // empty: never progressive
  std::string_view particle = {};  // English words after the verb
  std::string_view state = {};     // after "be", with its French: "hungry|faim"
  FrenchVerb french = {};
  std::string_view noun = {};         // of "avoir besoin"
  std::string_view preposition = {};  // French, before the object: "de", "à", "dans"
  Kinds subjects = kPerson;
  Kinds objects = 0;       // none: intransitive
  bool recipient = false;  // "to" somebody
  bool generic = false;    // "likes apples"

  std::string third() const;  // "sees"
};

// A fixed expression. Its French words say which English word they translate: "tous/0 les/0
// jours/1".
struct Expression {
  std::string_view english;
  std::string_view french;
};

enum class Tense { present, progressive, past, future };
struct TimeExpression {
  Expression words;
  std::vector<Tense> tenses;
};

struct Preposition {
  Expression words;  // ends in "de" where French does
  Kinds objects;
};

std::span<const Noun> nouns();
std::span<const Adjective> adjectives();
std::span<const Verb> verbs();            // of actions and states, those of speech aside
std::span<const Verb> verbs_of_speech();  // "says that"
std::span<const TimeExpression> times();
std::span<const Preposition> prepositions();
std::span<const Expression> adverbs();  // often, always: before the English verb, after the French

// By their English words; the object's kind decides between verbs that share them. InternalError
// for an unknown one.
const Noun& noun(std::string_view english);
const Adjective& adjective(std::string_view english);
const Verb& verb(std::string_view english, std::string_view particle = {}, Kinds objects = 0);
const Preposition& preposition(std::string_view english);
const TimeExpression& time_expression(std::string_view english);
const Expression& adverb(std::string_view english);

// The verbs that grammar itself needs.
const FrenchVerb& etre();
const FrenchVerb& avoir();
const FrenchVerb& pouvoir();
const FrenchVerb& devoir();
const FrenchVerb& vouloir();

std::string french_plural(std::string_view singular);
std::string english_plural(std::string_view singular);

}  // namespace heed::corpora::phrases
