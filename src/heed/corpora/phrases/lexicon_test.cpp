// SPDX-License-Identifier: Apache-2.0
#include "heed/corpora/phrases/lexicon.h"

#include <gtest/gtest.h>

#include <set>

#include "heed/base/error.h"
#include "heed/base/text.h"

namespace heed::corpora::phrases {
namespace {

TEST(Lexicon, FormsPlurals) {
  const auto both = [](std::string_view english) {
    const Noun& entry = noun(english);
    return entry.english_form(Number::plural) + " " + entry.french_form(Number::plural);
  };
  EXPECT_EQ(both("story"), "stories histoires");
  EXPECT_EQ(both("key"), "keys clés");
  EXPECT_EQ(both("box"), "boxes boîtes");
  EXPECT_EQ(both("knife"), "knives couteaux");
  EXPECT_EQ(both("horse"), "horses chevaux");
  EXPECT_EQ(both("mouse"), "mice souris");
  EXPECT_EQ(both("potato"), "potatoes pommes de terre");
}

TEST(Lexicon, FormsAdjectives) {
  const auto forms = [](std::string_view english) {
    std::string all;
    for (const Number number : {Number::singular, Number::plural}) {
      for (const Gender gender : {Gender::masculine, Gender::feminine}) {
        all += adjective(english).french_form(gender, number) + " ";
      }
    }
    return all;
  };
  EXPECT_EQ(forms("big"), "grand grande grands grandes ");
  EXPECT_EQ(forms("beautiful"), "beau belle beaux belles ");
  EXPECT_EQ(forms("old"), "vieux vieille vieux vieilles ");
  EXPECT_EQ(forms("blue"), "bleu bleue bleus bleues ");
  EXPECT_EQ(forms("wooden"), "en bois en bois en bois en bois ");
}

TEST(Lexicon, ConjugatesVerbs) {
  const auto joined = [](const Forms& forms) { return join(forms, " "); };
  EXPECT_EQ(joined(verb("sing").french.present_forms()), "chante chante chantons chantez chantent");
  EXPECT_EQ(joined(verb("buy").french.future_forms()),
            "achèterai achètera achèterons achèterez achèteront");
  EXPECT_EQ(joined(etre().imperfect_forms()), "étais était étions étiez étaient");
  EXPECT_EQ(verb("take").french.participle_form(Gender::masculine, Number::plural), "pris");
  EXPECT_EQ(verb("eat").french.participle_form(Gender::feminine, Number::plural), "mangées");
  EXPECT_EQ(verb("go", "to").third(), "goes");
  EXPECT_EQ(verb("carry").third(), "carries");
  EXPECT_EQ(verb("have").third(), "has");
}

TEST(Lexicon, GivesEveryVerbAllItsForms) {
  for (const Verb& entry : verbs()) {
    for (const auto& forms : {entry.french.present_forms(), entry.french.future_forms()}) {
      for (const std::string& form : forms) EXPECT_FALSE(form.empty()) << entry.english;
    }
    EXPECT_FALSE(entry.french.participle_form(Gender::masculine, Number::singular).empty());
  }
}

TEST(Lexicon, KnowsEachNounAndAdjectiveOnce) {
  std::set<std::string_view> seen;
  for (const Noun& entry : nouns()) EXPECT_TRUE(seen.insert(entry.english).second) << entry.english;
  for (const Adjective& entry : adjectives()) {
    EXPECT_TRUE(seen.insert(entry.english).second) << entry.english;
  }
  EXPECT_THROW(noun("unicorn"), InternalError);
  EXPECT_THROW(adjective("purple"), InternalError);
  EXPECT_THROW(verb("fly"), InternalError);
  EXPECT_THROW(preposition("above"), InternalError);
}

}  // namespace
}  // namespace heed::corpora::phrases
