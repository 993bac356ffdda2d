// SPDX-License-Identifier: Apache-2.0
#include "heed/corpora/phrases/noun_phrase.h"

#include <gtest/gtest.h>

#include "heed/corpora/phrases/spelling.h"
#include "heed/corpora/phrases/testing.h"

namespace heed::corpora::phrases {
namespace {

using test::a;
using test::np;
using test::plural;
using test::the;
using D = Determiner;

std::string written(const NounPhrase& phrase, Setting setting = Setting::plain) {
  Meanings meanings;
  const Phrase both = write(phrase, meanings, setting);
  return spell_english(both.english).text + " | " + spell_french(both.french).text;
}

TEST(NounPhrase, WritesEveryDeterminer) {
  EXPECT_EQ(written(a("apple")), "An apple | Une pomme");
  EXPECT_EQ(written(plural(a("apple"))), "Some apples | Des pommes");
  EXPECT_EQ(written(a("meat")), "Some meat | De la viande");
  EXPECT_EQ(written(a("water")), "Some water | De l'eau");
  EXPECT_EQ(written(plural(np(D::this_, "egg"))), "These eggs | Ces œufs");
  EXPECT_EQ(written(np(D::her, "scarf")), "Her scarf | Son écharpe");
  EXPECT_EQ(written(np(D::her, "dress")), "Her dress | Sa robe");
  EXPECT_EQ(written(np(D::her, "scarf", {"pretty"})), "Her pretty scarf | Sa jolie écharpe");
  EXPECT_EQ(written(np(D::every, "house")), "Every house | Chaque maison");
  EXPECT_EQ(written(plural(np(D::all, "king"))), "All the kings | Tous les rois");
  EXPECT_EQ(written(plural(np(D::many, "egg"))), "Many eggs | Beaucoup d'œufs");
}

TEST(NounPhrase, BendsTheIndefiniteArticleToItsPlace) {
  EXPECT_EQ(written(plural(a("house", {"beautiful"}))),
            "Some beautiful houses | De belles maisons");
  EXPECT_EQ(written(plural(a("house", {"strange"}))), "Some strange houses | Des maisons étranges");
  EXPECT_EQ(written(plural(a("egg")), Setting::negated), "Any eggs | D'œufs");
  EXPECT_EQ(written(a("key"), Setting::negated), "A key | De clé");
  EXPECT_EQ(written(plural(a("egg")), Setting::after_de), "Some eggs | œufs");
  EXPECT_EQ(written(a("key"), Setting::after_de), "A key | Une clé");
}

TEST(NounPhrase, TurnsTheGenitiveAround) {
  EXPECT_EQ(written(test::with_owner(the("coat", {"black"}), plural(the("child")))),
            "The children's black coat | Le manteau noir des enfants");
  EXPECT_EQ(written(test::with_owner(the("coat"), plural(np(D::my, "brother")))),
            "My brothers' coat | Le manteau de mes frères");
}

TEST(NounPhrase, AgreesAsMasculineWhenOneOfSeveralIs) {
  const Agreement mixed = agreement_of(test::both(the("queen"), the("king")));
  EXPECT_EQ(mixed.gender, Gender::masculine);
  EXPECT_EQ(mixed.person, Person::they);
  EXPECT_EQ(agreement_of(test::both(the("queen"), the("girl"))).gender, Gender::feminine);
  EXPECT_TRUE(is_vague(test::pronoun(Pronoun::we)));
  EXPECT_FALSE(is_vague(test::pronoun(Pronoun::she)));
}

}  // namespace
}  // namespace heed::corpora::phrases
