// SPDX-License-Identifier: Apache-2.0
#include "heed/corpora/phrases/clause.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/corpora/phrases/spelling.h"
#include "heed/corpora/phrases/testing.h"
#include "heed/corpora/phrases/verb_group.h"

namespace heed::corpora::phrases {
namespace {

std::string text(const Phrase& phrase) {
  return spell_english(phrase.english).text + " | " + spell_french(phrase.french).text;
}

TEST(Clause, MakesTheRelativeAgreeWithItsHead) {
  Meanings meanings;
  const NounPhrase gap{.pronoun = Pronoun::gap};
  const NounPhrase heads = test::plural(test::the("princess"));
  const Clause fell{.subject = gap, .verb = &verb("fall"), .tense = Tense::past};
  EXPECT_EQ(text(write_relative(fell, heads, meanings)), "Who fell | Qui sont tombées");
  const Clause seen{.subject = test::pronoun(Pronoun::he),
                    .verb = &verb("see"),
                    .tense = Tense::past,
                    .object = gap};
  EXPECT_EQ(text(write_relative(seen, heads, meanings)), "That he saw | Qu'il a vues");
}

TEST(Clause, FrontsTheAuxiliaryInQuestions) {
  Meanings meanings;
  const Clause there{.subject = test::pronoun(Pronoun::there),
                     .object = test::plural(test::a("dog"))};
  EXPECT_EQ(text(write_question(there, Question::yes_no, meanings)),
            "Are there some dogs | Est-ce qu'il y a des chiens");
  EXPECT_THROW(write_question(there, Question::none, meanings), InternalError);
}

TEST(VerbGroup, ConjugatesForEveryPerson) {
  const Clause clause{.subject = test::pronoun(Pronoun::i),
                      .verb = &verb("get", "up"),
                      .modal = Modal::must,
                      .negation = Negation::contracted};
  const auto group = [&](Person person) {
    Meanings meanings;
    const VerbGroup both = write_verb(clause, {.subject = {.person = person}}, meanings);
    return spell_french(both.french).text;
  };
  EXPECT_EQ(group(Person::i), "Ne dois pas me lever");
  EXPECT_EQ(group(Person::he), "Ne doit pas se lever");
  EXPECT_EQ(group(Person::we), "Ne devons pas nous lever");
  EXPECT_EQ(group(Person::you), "Ne devez pas vous lever");
  EXPECT_EQ(group(Person::they), "Ne doivent pas se lever");
}

}  // namespace
}  // namespace heed::corpora::phrases
