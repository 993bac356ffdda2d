// SPDX-License-Identifier: Apache-2.0
// Growing a sentence that names a thing, and one that says something about it.
#include "heed/corpora/phrases/documents.h"

#include <algorithm>

#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/corpora/listed_corpus.h"
#include "heed/corpora/phrases/grow_clause.h"
#include "heed/corpora/phrases/grow_noun_phrase.h"
#include "heed/corpora/phrases/sentence.h"

namespace heed::corpora::phrases {
namespace {

constexpr Kinds kObjects = kThing | kClothes | kText;

const Noun& grow_object_noun(Random& random, Gender gender) {
  for (;;) {
    const Noun& noun = grow_noun(random, kObjects, false);
    if (noun.gender == gender) return noun;
  }
}

Determiner grow_article(Random& random) {
  return pick_weighted<Determiner>(random, {{Determiner::the, 3},
                                            {Determiner::a, 3},
                                            {Determiner::this_, 1},
                                            {Determiner::my, 1},
                                            {Determiner::her, 1},
                                            {Determiner::our, 1}});
}

// Somebody alone, so that "they" cannot mean people.
NounPhrase grow_somebody(Random& random) {
  constexpr std::array kAlone = {Pronoun::i, Pronoun::he, Pronoun::she, Pronoun::we, Pronoun::you};
  if (chance(random, 0.5)) return {.pronoun = pick(random, kAlone)};
  NounPhrase somebody{.noun = &grow_noun(random, kPerson, false)};
  if (chance(random, 0.3)) somebody.determiner = Determiner::my;
  return somebody;
}

// These need no more than a thing, and any thing will do.
const Verb& grow_handling(Random& random) {
  constexpr std::array kHandling = {"see", "find", "buy", "take", "choose", "forget"};
  return verb(pick(random, kHandling), {}, kText);
}

Clause grow_naming(Random& random, const NounPhrase& thing) {
  Clause clause{.subject = grow_somebody(random), .verb = &grow_handling(random)};
  clause.tense =
      pick_weighted<Tense>(random, {{Tense::present, 2}, {Tense::past, 4}, {Tense::future, 1}});
  clause.object = thing;
  return clause;
}

// About anything: adjectives and places that go with every thing.
Clause grow_remark(Random& random, const NounPhrase& thing) {
  const bool many = thing.number == Number::plural;
  Clause clause{
      .subject = {.pronoun = many ? Pronoun::they : Pronoun::it, .stands_for = thing.noun->gender}};
  clause.tense = pick_weighted<Tense>(random, {{Tense::present, 3}, {Tense::past, 2}});
  if (chance(random, 0.3)) {
    constexpr std::array kNegations = {Negation::full, Negation::contracted};
    clause.negation = pick(random, kNegations);
  }
  if (clause.tense == Tense::past && chance(random, 0.4)) {
    clause.time = &time_expression("yesterday");
    clause.time_first = true;
  }
  if (chance(random, 0.4)) {
    clause.place = grow_place(random);
    return clause;
  }
  constexpr std::array kQualities = {"small", "beautiful", "old", "expensive", "strange"};
  clause.quality = &adjective(pick(random, kQualities));
  clause.degree =
      pick_weighted<Degree>(random, {{Degree::plain, 3}, {Degree::very, 2}, {Degree::too, 1}});
  return clause;
}

// Somebody does something that leaves no thing to be meant.
Clause grow_filler(Random& random) {
  constexpr std::array kActs = {"sleep", "work", "sing", "dance", "cry", "laugh", "swim"};
  Clause clause{.subject = grow_somebody(random), .verb = &verb(pick(random, kActs))};
  clause.tense =
      pick_weighted<Tense>(random, {{Tense::present, 2}, {Tense::past, 2}, {Tense::future, 1}});
  return clause;
}

std::string pronoun_form(const NounPhrase& thing) {
  const std::string form = thing.noun->gender == Gender::feminine ? "elle" : "il";
  return thing.number == Number::plural ? form + "s" : form;
}

class DocumentWriter {
 public:
  void add(Clause clause) {
    const Example line = write_sentence({.clauses = {std::move(clause)}});
    if (lines_++ > 0) {
      document_.source += '\n';
      document_.target += '\n';
    }
    document_.source += line.source;
    document_.target += line.target;
    last_ = line.target;
  }

  // The last line's pronoun is hidden.
  void hide(const std::string& form) {
    const auto words = split(last_, ' ');
    const auto found =
        std::ranges::find_if(words, [&](std::string_view word) { return lower(word) == form; });
    if (found == words.end()) throw InternalError("documents: \"{}\" lacks {}", last_, form);
    document_.hidden.push_back({lines_ - 1, static_cast<int>(found - words.begin()), form});
  }

  Example done() { return std::move(document_); }

 private:
  Example document_;
  std::string last_;
  int lines_ = 0;
};

void add_pair(Random& random, DocumentWriter& writer) {
  const Gender gender = chance(random, 0.5) ? Gender::feminine : Gender::masculine;
  NounPhrase thing{.noun = &grow_object_noun(random, gender), .determiner = grow_article(random)};
  if (chance(random, 0.4)) thing.number = Number::plural;
  writer.add(grow_naming(random, thing));
  writer.add(grow_remark(random, thing));
  writer.hide(pronoun_form(thing));
}

}  // namespace

Example draw_document(Random& random) {
  enum class Shape { pair, filler_pair, pair_filler, filler_pair_filler, two_pairs };
  const Shape shape = pick_weighted<Shape>(random, {{Shape::pair, 1},
                                                    {Shape::filler_pair, 1},
                                                    {Shape::pair_filler, 1},
                                                    {Shape::filler_pair_filler, 1},
                                                    {Shape::two_pairs, 2}});
  DocumentWriter writer;
  const bool before = shape == Shape::filler_pair || shape == Shape::filler_pair_filler;
  const bool behind = shape == Shape::pair_filler || shape == Shape::filler_pair_filler;
  if (before) writer.add(grow_filler(random));
  add_pair(random, writer);
  if (shape == Shape::two_pairs) add_pair(random, writer);
  if (behind) writer.add(grow_filler(random));
  return writer.done();
}

namespace {

const ListedCorpus kDocuments(
    {.name = "documents",
     .description = "Short documents whose pronouns need the sentence before, and their French",
     .size = 20'000,
     .units = "documents",
     .source_suffix = "en",
     .target_suffix = "fr"},
    [](Random& random, const CorpusDraw&) { return draw_document(random); });

}  // namespace
}  // namespace heed::corpora::phrases
