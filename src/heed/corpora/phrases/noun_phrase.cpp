// SPDX-License-Identifier: Apache-2.0
// Writing noun phrases.
#include "heed/corpora/phrases/noun_phrase.h"

#include <algorithm>

#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/corpora/phrases/clause.h"

namespace heed::corpora::phrases {
namespace {

// French: masculine, feminine, plural.
struct DeterminerForms {
  std::string_view english;
  std::string_view english_plural;
  std::string_view masculine;
  std::string_view feminine;
  std::string_view plural;
};

DeterminerForms forms_of(Determiner determiner) {
  switch (determiner) {
    case Determiner::the:
      return {"the", "the", "le", "la", "les"};
    case Determiner::a:
      return {"a", "some", "un", "une", "des"};
    case Determiner::bare:
      return {"", "", "le", "la", "les"};
    case Determiner::this_:
      return {"this", "these", "ce", "cette", "ces"};
    case Determiner::that:
      return {"that", "those", "ce", "cette", "ces"};
    case Determiner::my:
      return {"my", "my", "mon", "ma", "mes"};
    case Determiner::your:
      return {"your", "your", "votre", "votre", "vos"};
    case Determiner::his:
      return {"his", "his", "son", "sa", "ses"};
    case Determiner::her:
      return {"her", "her", "son", "sa", "ses"};
    case Determiner::our:
      return {"our", "our", "notre", "notre", "nos"};
    case Determiner::their:
      return {"their", "their", "leur", "leur", "leurs"};
    case Determiner::every:
      return {"every", "", "chaque", "chaque", ""};
    case Determiner::two:
      return {"", "two", "", "", "deux"};
    case Determiner::three:
      return {"", "three", "", "", "trois"};
    case Determiner::four:
      return {"", "four", "", "", "quatre"};
    case Determiner::ten:
      return {"", "ten", "", "", "dix"};
    case Determiner::several:
      return {"", "several", "", "", "plusieurs"};
    case Determiner::all:
    case Determiner::many:
    case Determiner::how_many:
      break;
  }
  throw InternalError("phrases: a determiner of several words has no single form");
}

Word article(std::string_view text, Senses senses) {
  Word word{.text = std::string(text), .senses = std::move(senses), .role = Role::article};
  if (text != "les") word.before_vowel = "l'";
  return word;
}

Word de(Senses senses) {
  return french_preposition("de", std::move(senses));
}

Word definite(const NounPhrase& phrase, Senses senses) {
  if (phrase.number == Number::plural) return article("les", std::move(senses));
  const bool feminine = phrase.noun->gender == Gender::feminine;
  return article(feminine ? "la" : "le", std::move(senses));
}

// "un", "du", "des", or what negation and prepositions leave of them.
Words indefinite(const NounPhrase& phrase, const Senses& senses, Setting setting) {
  const bool single = phrase.number == Number::singular && !phrase.noun->is_substance();
  if (setting == Setting::negated) return {de(senses)};
  if (single) return {{phrase.noun->gender == Gender::feminine ? "une" : "un", senses}};
  if (setting == Setting::after_de) return {};
  if (phrase.noun->is_substance()) return {de(senses), definite(phrase, senses)};
  // "de belles maisons": before an adjective the plural is "de".
  const bool adjective_first = std::ranges::any_of(phrase.adjectives, &Adjective::before);
  if (adjective_first) return {de(senses)};
  return {{"des", senses}};
}

Phrase determiner_of(const NounPhrase& phrase, Meanings& meanings, Meaning noun, Setting setting) {
  const Meaning meaning = meanings.fresh();
  const Senses senses = {meaning};
  const bool plural = phrase.number == Number::plural;
  switch (phrase.determiner) {
    case Determiner::all: {
      const Senses the = {meanings.fresh()};
      const bool feminine = phrase.noun->gender == Gender::feminine;
      return {{{"all", senses}, {"the", the}},
              {{feminine ? "toutes" : "tous", senses}, article("les", the)}};
    }
    case Determiner::many:
      return {{{"many", senses}}, {{"beaucoup", senses}, de(senses)}};
    case Determiner::how_many: {
      const Meaning many = meanings.fresh();
      return {{{"how", {meaning, possible(many)}}, {"many", {many, possible(meaning)}}},
              {{"combien", {meaning}}, de({many})}};
    }
    case Determiner::bare:
      return {{}, {definite(phrase, {possible(noun)})}};
    case Determiner::the:
      return {{{"the", senses}}, {definite(phrase, senses)}};
    case Determiner::a: {
      Word english{"a", senses, "an"};
      if (plural || phrase.noun->is_substance()) {
        english = {setting == Setting::negated ? "any" : "some", senses};
      }
      Words french = indefinite(phrase, senses, setting);
      if (french.empty()) english.senses = {possible(noun)};
      return {{english}, std::move(french)};
    }
    default:
      break;
  }
  const DeterminerForms forms = forms_of(phrase.determiner);
  Word french{std::string(forms.plural), senses};
  if (!plural) {
    const bool feminine = phrase.noun->gender == Gender::feminine;
    french.text = feminine ? forms.feminine : forms.masculine;
    if (french.text == "ce") french.before_vowel = "cet";
    if (french.text == "ma" || french.text == "sa") french.before_vowel = forms.masculine;
  }
  return {{{std::string(plural ? forms.english_plural : forms.english), senses}}, {french}};
}

Phrase pronoun(Pronoun which, Gender stands_for, Meanings& meanings) {
  const bool feminine = stands_for == Gender::feminine;
  const Senses senses = {meanings.fresh()};
  const auto pair = [&](const char* english, const char* french) -> Phrase {
    return {{{english, senses}}, {{french, senses}}};
  };
  switch (which) {
    case Pronoun::i:
      return {{{"I", senses}}, {eliding("je", senses)}};
    case Pronoun::he:
      return pair("he", "il");
    case Pronoun::she:
      return pair("she", "elle");
    case Pronoun::we:
      return pair("we", "nous");
    case Pronoun::you:
      return pair("you", "vous");
    case Pronoun::they:
      return pair("they", feminine ? "elles" : "ils");
    case Pronoun::it:
      return pair("it", feminine ? "elle" : "il");
    case Pronoun::who:
      return pair("who", "qui");
    default:
      throw InternalError("phrases: a pronoun that its clause writes");
  }
}

// Both languages' nouns, the last English word of several being the one that is translated.
Phrase noun_of(const Noun& noun, Number number, Meaning meaning) {
  Phrase phrase{words_of(noun.english_form(number), {possible(meaning)}),
                words_of(noun.french_form(number), {meaning})};
  phrase.english.back().senses = {meaning};
  return phrase;
}

void add_owner(Phrase& phrase, const NounPhrase& owner, Meanings& meanings, Words& french_behind) {
  Phrase written = write(owner, meanings);
  const Meaning of = meanings.fresh();
  const bool bare_mark =
      owner.number == Number::plural && written.english.back().text.ends_with('s');
  append(phrase.english, std::move(written.english));
  phrase.english.push_back(
      {.text = bare_mark ? "'" : "'s", .senses = {possible(of)}, .attached = true});
  french_behind.push_back(de({of}));
  append(french_behind, std::move(written.french));
}

}  // namespace

Words words_of(std::string_view text, const Senses& senses) {
  Words words;
  for (const std::string_view word : split(text, ' ')) words.push_back({std::string(word), senses});
  return words;
}

Word eliding(std::string_view text, Senses senses) {
  return {std::string(text), std::move(senses), std::string(text.substr(0, text.size() - 1)) + "'"};
}

Word french_preposition(std::string_view text, Senses senses) {
  if (text == "de") {
    Word word = eliding(text, std::move(senses));
    word.role = Role::de;
    return word;
  }
  return {.text = std::string(text),
          .senses = std::move(senses),
          .role = text == "à" ? Role::a : Role::plain};
}

Phrase write(const Expression& expression, Meanings& meanings) {
  std::vector<Meaning> own;
  Phrase phrase;
  const auto english = split(expression.english, ' ');
  for (std::size_t i = 0; i < english.size(); ++i) own.push_back(meanings.fresh());
  for (std::size_t i = 0; i < english.size(); ++i) {
    phrase.english.push_back({std::string(english[i]), {own[i]}});
  }
  for (const std::string_view entry : split(expression.french, ' ')) {
    const std::size_t slash = entry.rfind('/');
    Senses senses;
    for (const Meaning& meaning : own) senses.push_back(possible(meaning));
    senses.at(static_cast<std::size_t>(entry[slash + 1] - '0')).sure = true;
    phrase.french.push_back({std::string(entry.substr(0, slash)), std::move(senses)});
  }
  return phrase;
}

Phrase write(const Place& place, Meanings& meanings) {
  Phrase phrase = write(place.preposition->words, meanings);
  Word& last = phrase.french.back();
  const bool with_de = last.text == "de";
  if (with_de) last = de(last.senses);
  append(phrase, write(*place.where, meanings, with_de ? Setting::after_de : Setting::plain));
  return phrase;
}

Phrase write(const NounPhrase& np, Meanings& meanings, Setting setting) {
  Phrase phrase;
  if (np.pronoun != Pronoun::none) {
    phrase = pronoun(np.pronoun, np.stands_for, meanings);
  } else {
    const Meaning meaning = meanings.fresh();
    Words behind;  // the French noun
    if (np.owner) {
      phrase.french.push_back(definite(np, {possible(meaning)}));
      add_owner(phrase, *np.owner, meanings, behind);
    } else {
      phrase = determiner_of(np, meanings, meaning, setting);
    }
    Words after;
    for (const Adjective* adjective : np.adjectives) {
      const Senses senses = {meanings.fresh()};
      phrase.english.push_back({std::string(adjective->english), senses});
      Words forms = words_of(adjective->french_form(np.noun->gender, np.number), senses);
      const bool masculine = np.number == Number::singular && np.noun->gender == Gender::masculine;
      if (masculine) forms.back().before_vowel = adjective->before_vowel;
      append(adjective->before ? phrase.french : after, std::move(forms));
    }
    append(phrase, noun_of(*np.noun, np.number, meaning));
    if (np.content != nullptr) {
      const Senses of = {meanings.fresh()};
      phrase.english.push_back({"of", of});
      phrase.french.push_back(de(of));
      append(phrase, noun_of(*np.content, Number::singular, meanings.fresh()));
    }
    append(phrase.french, std::move(after));
    if (!np.name.empty()) {
      const Word name{np.name, {meanings.fresh()}};
      append(phrase, Phrase{{name}, {name}});
    }
    append(phrase.french, std::move(behind));
  }
  if (np.place) append(phrase, write(*np.place, meanings));
  if (np.relative) append(phrase, write_relative(*np.relative, np, meanings));
  if (np.joined) {
    const Senses senses = {meanings.fresh()};
    append(phrase, Phrase{{{"and", senses}}, {{"et", senses}}});
    append(phrase, write(*np.joined, meanings, setting));
  }
  return phrase;
}

Agreement agreement_of(const NounPhrase& phrase) {
  const auto of_pronoun = [&]() -> Agreement {
    switch (phrase.pronoun) {
      case Pronoun::i:
        return {Person::i};
      case Pronoun::she:
        return {Person::he, Gender::feminine};
      case Pronoun::we:
        return {Person::we, Gender::masculine, Number::plural};
      case Pronoun::you:
        return {Person::you, Gender::masculine, Number::plural};
      case Pronoun::they:
        return {Person::they, phrase.stands_for, Number::plural};
      case Pronoun::it:
        return {Person::he, phrase.stands_for};
      default:
        return {};
    }
  };
  if (phrase.pronoun != Pronoun::none) return of_pronoun();
  Agreement agreement{phrase.number == Number::plural ? Person::they : Person::he,
                      phrase.noun->gender, phrase.number};
  if (phrase.joined) {
    agreement.person = Person::they;
    agreement.number = Number::plural;
    // One masculine noun makes all of them masculine.
    const bool feminine = agreement.gender == Gender::feminine &&
                          agreement_of(*phrase.joined).gender == Gender::feminine;
    agreement.gender = feminine ? Gender::feminine : Gender::masculine;
  }
  return agreement;
}

bool is_vague(const NounPhrase& phrase) {
  return phrase.pronoun == Pronoun::i || phrase.pronoun == Pronoun::we ||
         phrase.pronoun == Pronoun::you;
}

}  // namespace heed::corpora::phrases
