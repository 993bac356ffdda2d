// SPDX-License-Identifier: Apache-2.0
// Writing clauses: what is around the verb, and in which order.
#include "heed/corpora/phrases/clause.h"

#include "heed/base/error.h"
#include "heed/corpora/phrases/noun_phrase.h"
#include "heed/corpora/phrases/verb_group.h"

namespace heed::corpora::phrases {
namespace {

bool is_gap(const NounPhrase& phrase) {
  return phrase.pronoun == Pronoun::gap;
}

struct ObjectPronoun {
  std::string_view english;
  std::string_view french;
};

ObjectPronoun object_pronoun(Pronoun pronoun) {
  switch (pronoun) {
    case Pronoun::i:
      return {"me", "me"};
    case Pronoun::he:
      return {"him", "le"};
    case Pronoun::she:
      return {"her", "la"};
    case Pronoun::we:
      return {"us", "nous"};
    case Pronoun::you:
      return {"you", "vous"};
    case Pronoun::they:
      return {"them", "les"};
    default:
      throw InternalError("phrases: a pronoun that is no object");
  }
}

// A clause in its pieces, so that statements and questions can order them.
struct Pieces {
  Phrase subject = {};
  VerbGroup verb = {};
  Phrase behind = {};
};

struct PiecesSetting {
  const NounPhrase* head = nullptr;       // of the relative clause: what a gap stands for
  std::optional<Meaning> asked = {};      // as in VerbSetting
  std::optional<Agreement> fronted = {};  // the object that a question puts first
};

Phrase there(Meanings& meanings, Words& clitics) {
  const Senses senses = {meanings.fresh()};
  clitics.push_back({"y", senses});
  return {{{"there", senses}}, {{"il", senses}}};
}

Phrase quality_of(const Clause& clause, const Agreement& subject, Meanings& meanings) {
  const Adjective& adjective = *clause.quality;
  const Meaning meaning = meanings.fresh();
  const Meaning degree = meanings.fresh();
  Words french = words_of(adjective.french_form(subject.gender, subject.number), {meaning});
  const Word english{std::string(adjective.english), {meaning}};
  const auto with = [&](const char* before, const char* french_before) {
    french.insert(french.begin(), {french_before, {degree}});
    return Phrase{{{before, {degree}}, english}, std::move(french)};
  };
  switch (clause.degree) {
    case Degree::plain:
      return {{english}, std::move(french)};
    case Degree::very:
      return with("very", "très");
    case Degree::too:
      return with("too", "trop");
    case Degree::less:
      return with("less", "moins");
    case Degree::as:
      return with("as", "aussi");
    case Degree::more:
      break;
  }
  if (adjective.comparative.empty()) return with("more", "plus");
  french.insert(french.begin(), {"plus", {meaning}});
  return {{{std::string(adjective.comparative), {meaning}}}, std::move(french)};
}

void add_comparison(const Clause& clause, Phrase& behind, Meanings& meanings) {
  const Senses senses = {meanings.fresh()};
  behind.english.push_back({clause.degree == Degree::as ? "as" : "than", senses});
  behind.french.push_back(eliding("que", senses));
  append(behind, write(*clause.than, meanings));
}

// The object after the verb, or for a pronoun before the French one.
void add_object(const Clause& clause, Pieces& pieces, VerbSetting& setting, Meanings& meanings) {
  const NounPhrase& object = *clause.object;
  if (is_gap(object)) return;
  if (object.pronoun != Pronoun::none) {
    const Senses senses = {meanings.fresh()};
    const auto [english, french] = object_pronoun(object.pronoun);
    pieces.behind.english.push_back({std::string(english), senses});
    const bool elides = french == "me" || french == "le" || french == "la";
    setting.clitics.push_back(elides ? eliding(french, senses) : Word{std::string(french), senses});
    setting.object_before = agreement_of(object);
    return;
  }
  Setting article = Setting::plain;
  const bool direct = clause.verb == nullptr || clause.verb->preposition.empty();
  if (direct && clause.negation != Negation::none) article = Setting::negated;
  if (!direct && clause.verb->preposition == "de") article = Setting::after_de;
  append(pieces.behind, write(object, meanings, article));
}

Pieces pieces_of(const Clause& clause, const PiecesSetting& own, Meanings& meanings) {
  Pieces pieces;
  VerbSetting setting{.object_before = own.fronted, .asked = own.asked};
  setting.preposition = meanings.fresh();
  setting.subject = agreement_of(is_gap(clause.subject) ? *own.head : clause.subject);
  if (clause.object && is_gap(*clause.object)) setting.object_before = agreement_of(*own.head);
  if (clause.subject.pronoun == Pronoun::there) {
    pieces.subject = there(meanings, setting.clitics);
  } else if (!is_gap(clause.subject)) {
    pieces.subject = write(clause.subject, meanings);
  }
  if (clause.quality != nullptr) {
    append(pieces.behind, quality_of(clause, setting.subject, meanings));
    if (clause.than) add_comparison(clause, pieces.behind, meanings);
  }
  if (clause.object) add_object(clause, pieces, setting, meanings);
  if (clause.recipient) {
    const Senses to = {meanings.fresh()};
    pieces.behind.english.push_back({"to", to});
    pieces.behind.french.push_back(french_preposition("à", to));
    append(pieces.behind, write(*clause.recipient, meanings));
  }
  if (clause.that) {
    const Senses senses = {meanings.fresh()};
    append(pieces.behind, Phrase{{{"that", senses}}, {eliding("que", senses)}});
    append(pieces.behind, write_statement(*clause.that, meanings));
  }
  if (clause.place) append(pieces.behind, write(*clause.place, meanings));
  if (clause.time != nullptr && !clause.time_first) {
    append(pieces.behind, write(clause.time->words, meanings));
  }
  pieces.verb = write_verb(clause, setting, meanings);
  return pieces;
}

Phrase in_order(Pieces pieces) {
  Phrase phrase = std::move(pieces.subject);
  append(phrase.english, std::move(pieces.verb.english_first));
  append(phrase.english, std::move(pieces.verb.english_rest));
  append(phrase.french, std::move(pieces.verb.french));
  append(phrase, std::move(pieces.behind));
  return phrase;
}

}  // namespace

Phrase write_statement(const Clause& clause, Meanings& meanings) {
  Phrase phrase;
  if (clause.time != nullptr && clause.time_first) {
    phrase = write(clause.time->words, meanings);
    const Word comma{.text = ",", .senses = {possible(meanings.fresh())}, .attached = true};
    append(phrase, Phrase{{comma}, {comma}});
  }
  append(phrase, in_order(pieces_of(clause, {}, meanings)));
  return phrase;
}

Phrase write_relative(const Clause& clause, const NounPhrase& head, Meanings& meanings) {
  const Senses senses = {meanings.fresh()};
  NounPhrase alone = head;  // "the man and the woman who": only the nearer one
  alone.joined = nullptr;
  Phrase phrase;
  if (is_gap(clause.subject)) {
    const bool person = (head.noun->kinds & kPerson) != 0;
    phrase = {{{person ? "who" : "that", senses}}, {{"qui", senses}}};
  } else {
    phrase = {{{"that", senses}}, {eliding("que", senses)}};
  }
  append(phrase, in_order(pieces_of(clause, {.head = &alone}, meanings)));
  return phrase;
}

Phrase write_question(const Clause& clause, Question question, Meanings& meanings) {
  const Meaning asked = meanings.fresh();
  const Meaning word = meanings.fresh();
  Clause rest = clause;
  Phrase phrase;
  PiecesSetting setting{.asked = asked};
  Words est_ce_que = {{"est-ce", {asked}}, eliding("que", {asked})};
  switch (question) {
    case Question::none:
      throw InternalError("phrases: no question to write");
    case Question::yes_no:
      break;
    case Question::where:
      phrase = {{{"where", {word}}}, {{"où", {word}}}};
      break;
    case Question::why:
      phrase = {{{"why", {word}}}, {{"pourquoi", {word}}}};
      break;
    case Question::what:
      phrase = {{{"what", {word}}}, {}};
      setting.asked = possible(word);
      est_ce_que = {{"qu'est-ce", {word}}, eliding("que", {word})};
      break;
    case Question::how_many:
      phrase = write(*clause.object, meanings);
      setting.fronted = agreement_of(*clause.object);
      rest.object.reset();
      break;
  }
  const bool where_is = question == Question::where && clause.verb == nullptr;
  if (where_is) setting.asked = possible(word);
  Pieces pieces = pieces_of(rest, setting, meanings);
  append(phrase.english, std::move(pieces.verb.english_first));
  append(phrase.english, std::move(pieces.subject.english));
  append(phrase.english, std::move(pieces.verb.english_rest));
  if (where_is) {  // "Où est la clé ?"
    append(phrase.french, std::move(pieces.verb.french));
    append(phrase.french, std::move(pieces.subject.french));
  } else {
    append(phrase.french, std::move(est_ce_que));
    append(phrase.french, std::move(pieces.subject.french));
    append(phrase.french, std::move(pieces.verb.french));
  }
  append(phrase, std::move(pieces.behind));
  return phrase;
}

}  // namespace heed::corpora::phrases
