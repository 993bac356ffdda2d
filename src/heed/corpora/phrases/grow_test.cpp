// SPDX-License-Identifier: Apache-2.0
#include "heed/corpora/phrases/grow.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/corpora/phrases/draw.h"
#include "heed/corpora/phrases/lexicon.h"
#include "heed/corpora/phrases/sentence.h"
#include "heed/corpora/phrases/spelling.h"

namespace heed::corpora::phrases {
namespace {

std::vector<Example> drawn(int count) {
  Random random(11);
  std::vector<Example> examples;
  for (int i = 0; i < count; ++i) examples.push_back(draw_phrase(random, 3, 25));
  return examples;
}

bool holds(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

TEST(Grow, GivesOneTranslationForEachSource) {
  std::map<std::string, std::string> translations;
  for (const Example& example : drawn(20'000)) {
    const auto [known, added] = translations.emplace(example.source, example.target);
    ASSERT_EQ(known->second, example.target) << example.source;
  }
  EXPECT_GT(translations.size(), 17'000u);
}

// Of 5,000 sentences each shows in at least a few.
TEST(Grow, ShowsEveryPhenomenon) {
  const std::vector<Example> examples = drawn(5000);
  for (const std::string_view part : {" l'",
                                      "L'",
                                      " d'",
                                      " n'",
                                      "qu'",
                                      "J'",
                                      " du ",
                                      " au ",
                                      " des ",
                                      " aux ",
                                      " ne ",
                                      " pas",
                                      " jamais",
                                      "Est-ce que",
                                      "Qu'est-ce",
                                      " qui ",
                                      " que ",
                                      "il y a",
                                      "pommes de terre",
                                      "tous les jours",
                                      " plus ",
                                      " bel ",
                                      " cet ",
                                      "beaucoup d",
                                      "parce qu",
                                      "ées"}) {
    int count = 0;
    for (const Example& example : examples) count += holds(example.target, part);
    EXPECT_GE(count, 5) << part;
  }
  for (const std::string_view part : {"n't", "'s ", "s' ", "looking for", "cannot", "There "}) {
    int count = 0;
    for (const Example& example : examples) count += holds(example.source, part);
    EXPECT_GE(count, 5) << part;
  }
}

TEST(Grow, WritesNeitherHiatusNorUncontractedArticles) {
  for (const Example& example : drawn(8'000)) {
    const auto words = split(example.target, ' ');
    for (std::size_t i = 0; i + 1 < words.size(); ++i) {
      const std::string word = lower(words[i]);
      const bool elides = word == "le" || word == "la" || word == "de" || word == "ne" ||
                          word == "que" || word == "je" || word == "me" || word == "se" ||
                          word == "ce" || word == "ma" || word == "sa";
      ASSERT_FALSE(elides && begins_with_vowel(words[i + 1])) << example.target;
      const bool contracts = word == "de" || word == "à";
      ASSERT_FALSE(contracts && (words[i + 1] == "le" || words[i + 1] == "les")) << example.target;
    }
    ASSERT_TRUE(example.target.ends_with('.') || example.target.ends_with('?')) << example.target;
    ASSERT_FALSE(holds(example.target, "  ") || holds(example.source, "  "));
  }
}

// After a determiner that shows gender and number, and before any adjective, the noun has both.
TEST(Grow, MakesArticlesAgreeWithNouns) {
  std::map<std::string, std::set<std::string>> allowed;  // by the noun's form
  for (const Noun& entry : nouns()) {
    const bool feminine = entry.gender == Gender::feminine;
    auto& one = allowed[entry.french_form(Number::singular)];
    for (const char* word : {"un", "ce", "le", "une", "cette", "la"}) {
      const std::string_view text = word;
      if ((text == "une" || text == "cette" || text == "la") == feminine) one.insert(word);
    }
    auto& many = allowed[entry.french_form(Number::plural)];
    for (const char* word : {"les", "ces", "mes", "vos", "nos", "leurs", "deux"}) many.insert(word);
  }
  const std::set<std::string> checked = {"un",  "une", "ce",  "cette", "le",    "la",  "les",
                                         "ces", "mes", "vos", "nos",   "leurs", "deux"};
  int seen = 0;
  for (const Example& example : drawn(5000)) {
    const auto words = split(example.target, ' ');
    for (std::size_t i = 0; i + 1 < words.size(); ++i) {
      const std::string determiner = lower(words[i]);
      std::string noun(words[i + 1]);
      while (!noun.empty() && (noun.back() == '.' || noun.back() == ',')) noun.pop_back();
      const auto known = allowed.find(noun);
      if (!checked.contains(determiner) || known == allowed.end()) continue;
      // "porte", "montre" and "lit" are verbs too, after the pronouns "le", "la" and "les".
      if (noun == "porte" || noun == "montre" || noun == "lit") continue;
      EXPECT_TRUE(known->second.contains(determiner)) << example.target;
      ++seen;
    }
  }
  EXPECT_GT(seen, 3000);
}

TEST(Grow, DrawsTheLengthsAskedFor) {
  Random random(1);
  for (int i = 0; i < 50; ++i) {
    EXPECT_EQ(split(draw_long_phrase(random, 44, 44).source, ' ').size(), 44u);
    EXPECT_EQ(split(draw_phrase(random, 5, 5).source, ' ').size(), 5u);
  }
  EXPECT_THROW(draw_phrase(random, 1, 1), UsageError);
}

}  // namespace
}  // namespace heed::corpora::phrases
