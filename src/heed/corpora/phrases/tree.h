// SPDX-License-Identifier: Apache-2.0
// Sentences before they are words: trees that both languages are written from.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "heed/corpora/phrases/lexicon.h"

namespace heed::corpora::phrases {

struct Clause;
struct NounPhrase;

enum class Determiner {
  the,
  a,     // "some" of several and of substances; "any" of them under negation
  bare,  // "likes apples": French has an article
  this_,
  that,
  my,
  your,
  his,
  her,
  our,
  their,
  every,
  all,
  two,
  three,
  four,
  ten,
  many,
  several,
  how_many,
};

// "it" is the weather's or a thing's, "there" that of "there is", "who" asks. The gap is in a
// relative clause for the noun before it.
enum class Pronoun { none, i, he, she, we, you, they, it, there, who, gap };

struct Place {
  const Preposition* preposition = nullptr;
  std::shared_ptr<const NounPhrase> where = {};
};

struct NounPhrase {
  const Noun* noun = nullptr;
  Determiner determiner = Determiner::the;
  Number number = Number::singular;
  std::vector<const Adjective*> adjectives = {};  // in English order
  Pronoun pronoun = Pronoun::none;                // instead of a noun
  Gender stands_for = Gender::masculine;          // of "it" and "they": the noun they mean
  std::string name = {};                          // "my uncle BENOR"; the same in both languages
  const Noun* content = nullptr;                  // "a glass of WATER"
  std::shared_ptr<const NounPhrase> owner = {};   // "the KING's car"; takes the article's place
  std::optional<Place> place = {};                // "the book ON THE TABLE"
  std::shared_ptr<const Clause> relative = {};    // subject or object is Pronoun::gap
  std::shared_ptr<const NounPhrase> joined = {};  // "and ..."
};

enum class Modal { none, can, must, want };
enum class Negation { none, full, contracted, never };
enum class Degree { plain, very, too, more, less, as };

struct Clause {
  NounPhrase subject = {};
  const Verb* verb = nullptr;  // none: "is", with a quality or a place, or "there is"
  Tense tense = Tense::present;
  Modal modal = Modal::none;
  Negation negation = Negation::none;
  const Expression* adverb = nullptr;
  std::optional<NounPhrase> object = {};  // of "there is" too
  std::optional<NounPhrase> recipient = {};
  const Adjective* quality = nullptr;
  Degree degree = Degree::plain;
  std::optional<NounPhrase> than = {};  // with more, less and as
  std::optional<Place> place = {};
  const TimeExpression* time = nullptr;
  bool time_first = false;
  std::shared_ptr<const Clause> that = {};  // "says THAT ..."
};

enum class Conjunction { and_, but, because, when, while_ };
enum class Question { none, yes_no, where, why, what, how_many };

struct Sentence {
  std::vector<Clause> clauses = {};
  std::vector<Conjunction> joins = {};  // one less than clauses
  bool turned = false;                 // the second of two clauses first: "When it rains, I sleep."
  Question question = Question::none;  // of the one clause; who asks by its pronoun
};

// What verbs, adjectives and participles agree with.
struct Agreement {
  Person person = Person::he;
  Gender gender = Gender::masculine;
  Number number = Number::singular;
};
Agreement agreement_of(const NounPhrase& phrase);

// Whether its gender (or, of "you", its number) cannot be told from the English.
bool is_vague(const NounPhrase& phrase);

}  // namespace heed::corpora::phrases
