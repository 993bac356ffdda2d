// SPDX-License-Identifier: Apache-2.0
// Cards of all kinds have one form: a sentence, a formula in the letters of the docs, a source that
// can be found.
#include <gtest/gtest.h>

#include <cctype>
#include <regex>
#include <string>
#include <vector>

#include "heed/attention/bias.h"
#include "heed/attention/mechanism.h"
#include "heed/attention/normaliser.h"
#include "heed/attention/score.h"
#include "heed/attention/whole.h"

namespace heed::attention {
namespace {

template <typename Interface>
void add(std::vector<Card>& cards) {
  for (const auto& entry : Catalogue<Interface>::entries()) cards.push_back(entry.card);
}

std::vector<Card> every_card() {
  std::vector<Card> cards;
  add<Score>(cards);
  add<Bias>(cards);
  add<NamedPattern>(cards);
  add<Normaliser>(cards);
  add<WholeAttention>(cards);
  return cards;
}

TEST(Cards, SayWhatAPartDoesInASentence) {
  for (const Card& card : every_card()) {
    ASSERT_GT(card.summary.size(), 10u) << card.name;
    EXPECT_TRUE(std::isupper(static_cast<unsigned char>(card.summary.front()))) << card.summary;
    EXPECT_TRUE(card.summary.ends_with(".") && !card.summary.ends_with("..")) << card.summary;
  }
}

TEST(Cards, WriteFormulasInTheLettersOfTheDocs) {
  const std::regex spelt_out(R"(\b(alpha|beta|gamma|lambda|sigma|tau|theta|phi|sum|sqrt)\b|\^2)");
  for (const Card& card : every_card()) {
    EXPECT_FALSE(card.formula.empty()) << card.name;
    EXPECT_FALSE(std::regex_search(card.formula, spelt_out)) << card.name << ": " << card.formula;
  }
}

TEST(Cards, NameASourceWithItsYear) {
  const std::regex year(R"(\b(19|20)[0-9][0-9]\b)");
  for (const Card& card : every_card()) {
    EXPECT_TRUE(std::regex_search(card.source, year)) << card.name << ": " << card.source;
    EXPECT_TRUE(std::isupper(static_cast<unsigned char>(card.source.front()))) << card.source;
  }
}

TEST(Cards, AreOfKindsThatDoNotShareANameButWhereBothRead) {
  // `tensor` is a bias and a pattern: each reads what is given to it.
  EXPECT_NE(Catalogue<Bias>::find("tensor"), nullptr);
  EXPECT_NE(Catalogue<NamedPattern>::find("tensor"), nullptr);
  for (const auto& entry : Catalogue<WholeAttention>::entries()) {
    EXPECT_EQ(Catalogue<Score>::find(entry.card.name), nullptr) << entry.card.name;
    EXPECT_EQ(Catalogue<Bias>::find(entry.card.name), nullptr) << entry.card.name;
  }
}

}  // namespace
}  // namespace heed::attention
