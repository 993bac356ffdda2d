// SPDX-License-Identifier: Apache-2.0
// English auxiliaries and French conjugation, side by side.
#include "heed/corpora/phrases/verb_group.h"

#include "heed/corpora/phrases/noun_phrase.h"

namespace heed::corpora::phrases {
namespace {

class VerbWriter {
 public:
  VerbWriter(const Clause& clause, const VerbSetting& setting, Meanings& meanings)
      : clause_(clause),
        setting_(setting),
        verb_(meanings.fresh()),
        not_(meanings.fresh()),
        modal_(meanings.fresh()),
        state_(meanings.fresh()) {
    if (clause.adverb != nullptr) adverb_ = write(*clause.adverb, meanings);
  }

  VerbGroup write_both() {
    write_english();
    write_french();
    return std::move(group_);
  }

 private:
  bool is_be() const { return clause_.verb == nullptr || clause_.verb->english == "be"; }
  bool is_there() const { return clause_.subject.pronoun == Pronoun::there; }
  bool says_not() const {
    return clause_.negation == Negation::full || clause_.negation == Negation::contracted;
  }
  std::size_t person() const { return static_cast<std::size_t>(setting_.subject.person); }

  // The auxiliary that a question puts first also means what the question's French words do.
  Senses first_senses(Meaning own) const {
    Senses senses = {own};
    if (setting_.asked) senses.push_back(*setting_.asked);
    return senses;
  }

  std::string be() const {
    Agreement agreement = setting_.subject;
    if (is_there()) agreement = agreement_of(*clause_.object);
    const bool one = agreement.number == Number::singular;
    if (clause_.tense == Tense::past) return one ? "was" : "were";
    if (agreement.person == Person::i) return "am";
    return one ? "is" : "are";
  }

  bool third_singular() const { return setting_.subject.person == Person::he; }

  // The English verb in this form, with its state and particle.
  void add_main(std::string_view form, Meaning meaning) {
    Words& rest = group_.english_rest;
    if (!form.empty()) rest.push_back({std::string(form), {meaning}});
    if (clause_.verb == nullptr) return;
    const Verb& verb = *clause_.verb;
    if (!verb.state.empty()) {
      append(rest, words_of(verb.state.substr(0, verb.state.find('|')), {state_}));
    }
    if (verb.particle.empty()) return;
    const bool translated = !verb.preposition.empty();
    append(rest, words_of(verb.particle, {translated ? setting_.preposition : possible(verb_)}));
  }

  void write_english() {
    Words& first = group_.english_first;
    const std::string_view base = clause_.verb != nullptr ? clause_.verb->english : "be";
    const bool do_support = says_not() || setting_.asked;
    const auto auxiliary = [&](std::string_view text, Meaning meaning) {
      first.push_back({std::string(text), first_senses(meaning)});
    };
    const bool past = clause_.tense == Tense::past;
    const auto support = [&] {
      auxiliary(past ? "did" : third_singular() ? "does" : "do", possible(verb_));
    };
    if (clause_.modal == Modal::want) {
      if (do_support) support();
      group_.english_rest.push_back({third_singular() && !do_support ? "wants" : "want", {modal_}});
      group_.english_rest.push_back({"to", {possible(verb_)}});
      add_main(base, verb_);
    } else if (clause_.modal != Modal::none) {
      auxiliary(clause_.modal == Modal::can ? "can" : "must", modal_);
      add_main(base, verb_);
    } else if (clause_.tense == Tense::future) {
      auxiliary("will", possible(verb_));
      add_main(base, verb_);
    } else if (is_be()) {
      auxiliary(be(), verb_);
      add_main("", verb_);
    } else if (clause_.tense == Tense::progressive) {
      auxiliary(be(), possible(verb_));
      add_main(clause_.verb->ing, verb_);
    } else if (do_support) {
      support();
      add_main(base, verb_);
    } else {
      add_main(past ? clause_.verb->past : third_singular() ? clause_.verb->third() : base, verb_);
    }
    Words between = negation_in_english();
    append(between, std::move(adverb_.english));
    append(between, std::move(group_.english_rest));
    group_.english_rest = std::move(between);
  }

  // After the first auxiliary; "n't" may change it.
  Words negation_in_english() {
    if (clause_.negation == Negation::never) return {{"never", {not_}}};
    if (!says_not()) return {};
    Word& first = group_.english_first.back();
    if (clause_.negation == Negation::contracted && first.text != "am") {
      if (first.text == "will") first.text = "wo";
      if (first.text == "can") first.text = "ca";
      return {{.text = "n't", .senses = {not_}, .attached = true}};
    }
    return {{.text = "not", .senses = {not_}, .attached = first.text == "can"}};
  }

  const FrenchVerb& french_verb() const {
    if (is_there()) return avoir();
    return clause_.verb != nullptr ? clause_.verb->french : etre();
  }

  Words clitics() const {
    Words words;
    if (french_verb().reflexive) {
      constexpr std::array kReflexive = {"me", "se", "nous", "vous", "se"};
      const std::string_view text = kReflexive.at(person());
      const Senses senses = {possible(verb_)};
      words.push_back(text.ends_with('e') ? eliding(text, senses)
                                          : Word{std::string(text), senses});
    }
    append(words, setting_.clitics);
    return words;
  }

  struct Conjugated {
    Words finite = {};
    Words rest = {};  // participle or infinitive
  };

  Conjugated conjugated() const {
    const FrenchVerb& verb = french_verb();
    const auto form = [&](const Forms& forms, Meaning meaning) -> Words {
      return {{forms.at(person()), {meaning}}};
    };
    if (clause_.modal != Modal::none) {
      const FrenchVerb& modal = clause_.modal == Modal::can    ? pouvoir()
                                : clause_.modal == Modal::must ? devoir()
                                                               : vouloir();
      Words rest = clitics();
      rest.push_back({std::string(verb.infinitive), {verb_}});
      return {form(modal.present_forms(), modal_), std::move(rest)};
    }
    Words finite = clitics();
    if (clause_.tense == Tense::future) {
      append(finite, form(verb.future_forms(), verb_));
      return {std::move(finite)};
    }
    if (clause_.tense != Tense::past) {
      append(finite, form(verb.present_forms(), verb_));
      return {std::move(finite)};
    }
    if (!verb.imperfect.empty()) {
      append(finite, form(verb.imperfect_forms(), verb_));
      return {std::move(finite)};
    }
    append(finite, form((verb.etre ? etre() : avoir()).present_forms(), verb_));
    // With être it agrees with the subject, with avoir with a direct object before it.
    Agreement agreement;
    if (verb.etre) agreement = setting_.subject;
    if (!verb.etre && setting_.object_before) agreement = *setting_.object_before;
    return {std::move(finite),
            {{verb.participle_form(agreement.gender, agreement.number), {verb_}}}};
  }

  void write_french() {
    Words& french = group_.french;
    Conjugated conjugated = this->conjugated();
    const bool negated = clause_.negation != Negation::none;
    if (negated) french.push_back(eliding("ne", {not_}));
    append(french, std::move(conjugated.finite));
    if (negated) {
      french.push_back({clause_.negation == Negation::never ? "jamais" : "pas", {not_}});
    }
    append(french, std::move(adverb_.french));
    append(french, std::move(conjugated.rest));
    if (clause_.verb == nullptr) return;
    const Verb& verb = *clause_.verb;
    if (!verb.noun.empty()) french.push_back({std::string(verb.noun), {verb_}});
    if (!verb.state.empty()) {
      append(french, words_of(verb.state.substr(verb.state.find('|') + 1), {state_}));
    }
    if (verb.preposition.empty()) return;
    const Meaning meaning = verb.particle.empty() ? possible(verb_) : setting_.preposition;
    french.push_back(french_preposition(verb.preposition, {meaning}));
  }

  const Clause& clause_;
  const VerbSetting& setting_;
  Meaning verb_;
  Meaning not_;
  Meaning modal_;
  Meaning state_;
  Phrase adverb_;
  VerbGroup group_;
};

}  // namespace

VerbGroup write_verb(const Clause& clause, const VerbSetting& setting, Meanings& meanings) {
  return VerbWriter(clause, setting, meanings).write_both();
}

}  // namespace heed::corpora::phrases
