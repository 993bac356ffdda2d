// SPDX-License-Identifier: Apache-2.0
#include "heed/corpora/phrases/spelling.h"

#include <gtest/gtest.h>

#include "heed/corpora/phrases/noun_phrase.h"

namespace heed::corpora::phrases {
namespace {

Word article(std::string text) {
  return {.text = text, .before_vowel = text == "les" ? "" : "l'", .role = Role::article};
}
std::string french(Words words) {
  return spell_french(words).text;
}

TEST(Spelling, ElidesBeforeVowelsAndMuteH) {
  EXPECT_EQ(french({article("la"), {"école"}}), "L'école");
  EXPECT_EQ(french({article("le"), {"homme"}}), "L'homme");
  EXPECT_EQ(french({article("le"), {"hibou"}}), "Le hibou");
  EXPECT_EQ(french({article("le"), {"œuf"}}), "L'œuf");
  EXPECT_EQ(french({eliding("ne", {}), {"y"}, {"a"}}), "N'y a");
  EXPECT_EQ(french({eliding("que", {}), {"yaourt"}}), "Que yaourt");
}

TEST(Spelling, ContractsPrepositionsUnlessTheArticleElides) {
  const Word de = french_preposition("de", {}), a = french_preposition("à", {});
  EXPECT_EQ(french({de, article("le"), {"roi"}}), "Du roi");
  EXPECT_EQ(french({de, article("les"), {"hommes"}}), "Des hommes");
  EXPECT_EQ(french({de, article("le"), {"homme"}}), "De l'homme");
  EXPECT_EQ(french({a, article("le"), {"roi"}}), "Au roi");
  EXPECT_EQ(french({a, article("les"), {"rois"}}), "Aux rois");
  EXPECT_EQ(french({a, article("la"), {"reine"}}), "À la reine");
  EXPECT_EQ(french({de, eliding("le", {}), {"voir"}}), "De le voir") << "a pronoun";
  EXPECT_EQ(french({de, {"une"}}), "D'une");
}

TEST(Spelling, ChangesFormsBeforeVowelsWithoutJoining) {
  EXPECT_EQ(french({{"ce", {}, "cet"}, {"arbre"}}), "Cet arbre");
  EXPECT_EQ(french({{"ce", {}, "cet"}, {"beau", {}, "bel"}, {"arbre"}}), "Ce bel arbre");
  EXPECT_EQ(spell_english({{"a", {}, "an"}, {"English"}, {"a", {}, "an"}, {"key"}}).text,
            "An English a key");
}

TEST(Spelling, AttachesMarksAndSeparatesTheRest) {
  const Word stop{.text = ".", .attached = true};
  EXPECT_EQ(french({{"il"}, {"dort"}, stop}), "Il dort.");
  EXPECT_EQ(french({{"où"}, {"?"}}), "Où ?");
  EXPECT_EQ(french({{"école"}}), "École");
}

TEST(Spelling, LinksWordsBySharedMeaning) {
  Meanings meanings;
  const Meaning the = meanings.fresh(), man = meanings.fresh(), stop = possible(meanings.fresh());
  Word l = article("le");
  l.senses = {the};
  const Word mark{.text = ".", .senses = {stop}, .attached = true};
  const Spelt english = spell_english({{"the", {the}}, {"man", {man}}, mark});
  const Spelt spelt = spell_french({l, {"homme", {man}}, mark});
  EXPECT_EQ(english.text + " " + spelt.text, "The man. L'homme.");
  EXPECT_EQ(text::to_pharaoh(align(english, spelt)), "0p0 1-0") << "the article only possibly";
}

}  // namespace
}  // namespace heed::corpora::phrases
