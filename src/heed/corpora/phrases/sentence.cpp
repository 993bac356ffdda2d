// SPDX-License-Identifier: Apache-2.0
// Joining clauses and setting the marks at their ends.
#include "heed/corpora/phrases/sentence.h"

#include "heed/base/error.h"
#include "heed/corpora/phrases/clause.h"
#include "heed/corpora/phrases/noun_phrase.h"
#include "heed/corpora/phrases/spelling.h"

namespace heed::corpora::phrases {
namespace {

Phrase comma(Meanings& meanings) {
  const Word mark{.text = ",", .senses = {possible(meanings.fresh())}, .attached = true};
  return {{mark}, {mark}};
}

Phrase conjunction(Conjunction which, Meanings& meanings) {
  const Senses senses = {meanings.fresh()};
  switch (which) {
    case Conjunction::and_:
      return {{{"and", senses}}, {{"et", senses}}};
    case Conjunction::when:
      return {{{"when", senses}}, {{"quand", senses}}};
    case Conjunction::because:
      return {{{"because", senses}}, {{"parce", senses}, eliding("que", senses)}};
    case Conjunction::while_:
      return {{{"while", senses}}, {{"pendant", senses}, eliding("que", senses)}};
    case Conjunction::but:
      break;
  }
  Phrase phrase = comma(meanings);
  append(phrase, Phrase{{{"but", senses}}, {{"mais", senses}}});
  return phrase;
}

Phrase body_of(const Sentence& sentence, Meanings& meanings) {
  if (sentence.clauses.size() != sentence.joins.size() + 1) {
    throw InternalError("phrases: {} clauses joined by {} conjunctions", sentence.clauses.size(),
                        sentence.joins.size());
  }
  if (sentence.question != Question::none) {
    return write_question(sentence.clauses[0], sentence.question, meanings);
  }
  Phrase phrase;
  if (sentence.turned) {
    phrase = conjunction(sentence.joins.at(0), meanings);
    append(phrase, write_statement(sentence.clauses[1], meanings));
    append(phrase, comma(meanings));
    append(phrase, write_statement(sentence.clauses[0], meanings));
    return phrase;
  }
  for (std::size_t i = 0; i < sentence.clauses.size(); ++i) {
    if (i > 0) append(phrase, conjunction(sentence.joins[i - 1], meanings));
    append(phrase, write_statement(sentence.clauses[i], meanings));
  }
  return phrase;
}

}  // namespace

Example write_sentence(const Sentence& sentence) {
  Meanings meanings;
  Phrase phrase = body_of(sentence, meanings);
  const bool asks =
      sentence.question != Question::none || sentence.clauses[0].subject.pronoun == Pronoun::who;
  const Meaning end = meanings.fresh();
  // No space before a question mark, as French is set in Canada; in Europe it has one. A mark that
  // is part of the last word makes a possible link, not a sure one.
  const Word mark{.text = asks ? "?" : ".", .senses = {possible(end)}, .attached = true};
  phrase.english.push_back(mark);
  phrase.french.push_back(mark);
  const Spelt english = spell_english(phrase.english);
  const Spelt french = spell_french(phrase.french);
  return {english.text, french.text, align(english, french)};
}

}  // namespace heed::corpora::phrases
