// SPDX-License-Identifier: Apache-2.0
#include "heed/corpora/agreement.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "heed/base/text.h"
#include "heed/corpora/phrases/lexicon.h"
#include "heed/text/heads.h"

namespace heed::corpora {
namespace {

bool is_plural(std::string_view word) {
  for (const phrases::Noun& noun : phrases::nouns()) {
    if (noun.is_substance()) continue;
    if (noun.english_form(phrases::Number::plural) == word) return true;
  }
  return false;
}

// The nouns are what follows "the", up to a comma.
std::vector<std::string> nouns_of(std::string_view text) {
  std::vector<std::string> nouns;
  const std::string small = lower(text);
  const auto words = split(small, ' ');
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    if (words[i] != "the") continue;
    nouns.emplace_back(words[i + 1].substr(0, words[i + 1].find(',')));
  }
  return nouns;
}

TEST(Agreement, IsWithTheFirstNounOfTheMainClause) {
  Random random(1);
  for (int turn = 0; turn < 2'000; ++turn) {
    const Example example = draw_agreement(random, turn, turn % 4);
    const std::size_t comma = example.source.find(',');
    const auto main = comma == std::string::npos ? std::string_view(example.source)
                                                 : std::string_view(example.source).substr(comma);
    EXPECT_EQ(nouns_of(example.source).size(), static_cast<std::size_t>(turn % 4) + 1)
        << example.source;
    ASSERT_EQ(is_plural(nouns_of(main)[0]), example.labels[0] == "plural") << example.source;
  }
}

TEST(Agreement, HoldsInRelativeClausesAndBetweenStandsBeforeSeveral) {
  const std::set<std::string_view> plural_verbs = {"see", "like", "follow", "hear"};
  Random random(3);
  int clauses = 0, between = 0;
  for (int turn = 0; turn < 2'000; ++turn) {
    const Example example = draw_agreement(random, turn, 2);
    const auto words = split(example.source, ' ');
    for (std::size_t i = 0; i + 2 < words.size(); ++i) {
      if (words[i] == "between") {
        EXPECT_TRUE(is_plural(words[i + 2])) << example.source;
        ++between;
      }
      if (words[i] != "that") continue;
      ++clauses;  // "that the girls see", or of the subject: "that see the girls"
      const bool own = words[i + 1] == "the";
      const bool plural = own ? is_plural(words[i + 2]) : example.labels[0] == "plural";
      EXPECT_EQ(plural_verbs.contains(words[own ? i + 3 : i + 1]), plural) << example.source;
    }
  }
  EXPECT_GT(clauses, 500);
  EXPECT_GT(between, 50);
}

TEST(Agreement, IsNotToldByTheLastNounNorByTheirCount) {
  Random random(2);
  int last = 0, majority = 0, first = 0;
  constexpr int kCount = 4'000;
  for (int turn = 0; turn < kCount; ++turn) {
    const Example example = draw_agreement(random, turn, 2);
    const auto nouns = nouns_of(example.source);
    const bool plural = example.labels[0] == "plural";
    last += is_plural(nouns.back()) == plural;
    first += is_plural(nouns.front()) == plural;
    majority += (std::ranges::count_if(nouns, is_plural) > 1) == plural;
  }
  EXPECT_NEAR(last, .5 * kCount, .04 * kCount);
  EXPECT_LT(majority, .78 * kCount);  // of three tossed coins the majority agrees with each in .75
  EXPECT_LT(first, .83 * kCount);
}

TEST(Agreement, HeadsAreATreeWithTheSubjectAtItsRoot) {
  Random random(4);
  for (int turn = 0; turn < 500; ++turn) {
    const Example example = draw_agreement(random, turn, turn % 4);
    const auto words = split(example.source, ' ');
    ASSERT_EQ(example.heads.size(), words.size()) << example.source;
    ASSERT_EQ(example.parts.size(), words.size()) << example.source;
    for (std::size_t i = 0; i < words.size(); ++i) {
      const bool article = words[i] == "the" || words[i] == "The";
      EXPECT_EQ(example.parts[i] == "det", article) << example.source;
      EXPECT_EQ(example.parts[i] == "rel", words[i] == "that") << example.source;
      if (article) {
        EXPECT_EQ(example.parts[i + 1], "noun") << example.source;
      }
    }
    EXPECT_EQ(text::parse_heads(text::write_heads(example.heads)), example.heads);
    int roots = 0;
    for (std::size_t i = 0; i < words.size(); ++i) {
      const auto head = static_cast<std::size_t>(example.heads[i]);
      if (lower(words[i]) == "the") {
        EXPECT_EQ(head, i + 1) << example.source;
      }
      if (head != i) continue;
      ++roots;
      EXPECT_EQ(is_plural(words[i]), example.labels[0] == "plural") << example.source;
      EXPECT_EQ(words[i].find(','), std::string_view::npos) << example.source;
    }
    EXPECT_EQ(roots, 1) << example.source;
  }
}

TEST(Agreement, HangsPhrasesAndClausesOnTheSubject) {
  Random random(5);
  int places = 0, clauses = 0;
  for (int turn = 0; turn < 500; ++turn) {
    const Example example = draw_agreement(random, turn, 2);
    const auto words = split(example.source, ' ');
    const auto& heads = example.heads;
    for (std::size_t i = 0; i < words.size(); ++i) {
      const auto head = static_cast<std::size_t>(heads[i]);
      const bool on_subject = head != i && heads[head] == heads[i];
      if (words[i] == "near" || words[i] == "with") {
        EXPECT_TRUE(on_subject) << example.source;
        EXPECT_EQ(static_cast<std::size_t>(heads[i + 2]), i) << example.source;
        ++places;
      }
      if (words[i] != "that") continue;
      EXPECT_EQ(heads[head], heads[static_cast<std::size_t>(heads[head])]) << example.source;
      EXPECT_EQ(static_cast<std::size_t>(heads[words[i + 1] == "the" ? i + 2 : head + 2]), head)
          << example.source;
      ++clauses;
    }
  }
  EXPECT_GT(places, 100);
  EXPECT_GT(clauses, 100);
}

}  // namespace
}  // namespace heed::corpora
