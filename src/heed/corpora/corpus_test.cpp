// SPDX-License-Identifier: Apache-2.0
#include "heed/corpora/corpus.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "heed/base/testing.h"
#include "heed/base/text.h"

namespace heed::corpora {
namespace {

std::vector<Example> all_of(const Corpus& corpus) {
  std::vector<Example> all = corpus.train;
  all.insert(all.end(), corpus.valid.begin(), corpus.valid.end());
  all.insert(all.end(), corpus.test.begin(), corpus.test.end());
  return all;
}

std::int64_t words(std::string_view line) {
  return 1 + std::ranges::count(line, ' ');
}

TEST(Corpora, StandInOrderAndSayWhatTheyAre) {
  std::vector<std::string_view> names;
  for (const CorpusCard& card : corpora()) {
    names.push_back(card.name);
    EXPECT_FALSE(card.description.empty() || card.description.ends_with('.')) << card.name;
    EXPECT_EQ(card.kind == CorpusKind::pairs, card.source_suffix != card.target_suffix);
    EXPECT_EQ(card.kind == CorpusKind::labelled, !card.aspects.empty()) << card.name;
  }
  EXPECT_TRUE(std::ranges::is_sorted(names));
  EXPECT_EQ(std::ranges::count(names, "phrases"), 1);
}

TEST(Corpora, HaveDistinctSourcesInDisjointParts) {
  for (const CorpusCard& card : corpora()) {
    const Corpus corpus = make_corpus(card.name, {.size = 1000});
    EXPECT_EQ(corpus.train.size(), 940u);
    EXPECT_EQ(corpus.valid.size(), 20u);
    EXPECT_EQ(corpus.test.size(), 40u);
    std::set<std::string> sources;
    for (const Example& e : all_of(corpus)) sources.insert(e.source + '\t' + e.second);
    EXPECT_EQ(sources.size(), 1000u) << card.name;
  }
}

TEST(Corpora, BalanceTheirLabels) {
  for (const CorpusCard& card : corpora()) {
    if (card.kind != CorpusKind::labelled) continue;
    const Corpus corpus = make_corpus(card.name, {.size = 3'000});
    EXPECT_EQ(corpus.far.size(), card.far ? corpus.test.size() : 0u);
    for (std::size_t aspect = 0; aspect < split(card.aspects, ',').size(); ++aspect) {
      std::map<std::string, int> count;
      for (const Example& example : corpus.train) ++count[example.labels[aspect]];
      const double even = double(corpus.train.size()) / double(count.size());
      for (const auto& [label, examples] : count) {
        EXPECT_NEAR(examples, even, .02 * even) << card.name << ' ' << label;
      }
    }
  }
}

TEST(Corpora, OfNamesKeepTheNamesOfTheTestOutOfTraining) {
  const Corpus corpus = make_corpus("names", {.size = 2'000});
  const auto capitals = [](const std::vector<Example>& examples) {
    std::set<std::string> found;
    for (const Example& example : examples) {
      const auto words = split(example.target, ' ');
      for (std::size_t i = 1; i < words.size(); ++i) {
        const std::string_view word = words[i].substr(0, words[i].find_first_of(",.?"));
        if (!word.empty() && word[0] >= 'A' && word[0] <= 'Z') found.emplace(word);
      }
    }
    return found;
  };
  const auto train = capitals(corpus.train);
  EXPECT_GT(train.size(), 1'500u);
  for (const auto& part : {corpus.valid, corpus.test}) {
    for (const std::string& name : capitals(part)) EXPECT_FALSE(train.contains(name)) << name;
  }
}

TEST(Corpora, AlignEveryWordOfBothSides) {
  for (const CorpusCard& card : corpora()) {
    if (card.kind != CorpusKind::pairs || card.name == "documents") continue;
    for (const Example& example : all_of(make_corpus(card.name, {.seed = 3, .size = 500}))) {
      std::set<int> left, right;
      std::vector<int> sure(static_cast<std::size_t>(words(example.target)), 0);
      for (const text::Link& link : example.alignment) {
        ASSERT_LT(link.source, words(example.source)) << example.source;
        ASSERT_LT(link.target, words(example.target)) << example.target;
        left.insert(link.source);
        right.insert(link.target);
        sure[static_cast<std::size_t>(link.target)] += link.sure;
      }
      ASSERT_EQ(static_cast<std::int64_t>(left.size()), words(example.source))
          << example.source << " | " << text::to_pharaoh(example.alignment);
      ASSERT_EQ(static_cast<std::int64_t>(right.size()), words(example.target))
          << example.target << " | " << text::to_pharaoh(example.alignment);
      if (card.target_suffix != "fr") continue;
      ASSERT_LE(*std::ranges::max_element(sure), 1) << example.source << " | " << example.target
                                                    << " | " << text::to_pharaoh(example.alignment);
    }
  }
}

TEST(Corpora, AreTheSameForTheSameSeedOnly) {
  const auto text_of = [](std::string_view name, std::uint64_t seed) {
    std::string text;
    for (const Example& e : all_of(make_corpus(name, {.seed = seed, .size = 50}))) {
      text += e.source + '\t' + e.target + '\t' + text::to_pharaoh(e.alignment) + '\t' + e.second +
              '\t' + join(e.labels, ",") + '\n';
    }
    return text;
  };
  for (const CorpusCard& card : corpora()) {
    EXPECT_EQ(text_of(card.name, 5), text_of(card.name, 5));
    EXPECT_NE(text_of(card.name, 5), text_of(card.name, 6));
  }
}

TEST(Corpora, KeepToTheirLengths) {
  const auto lengths_of = [](std::string_view name, const CorpusOptions& options) {
    std::set<std::int64_t> lengths;
    for (const Example& e : all_of(make_corpus(name, options))) lengths.insert(words(e.source));
    return lengths;
  };
  const auto phrases = lengths_of("phrases", {.size = 3000});
  EXPECT_EQ(*phrases.begin(), 3);
  EXPECT_EQ(*phrases.rbegin(), 25);
  const auto longer = lengths_of("phrases-long", {.size = 300});
  EXPECT_EQ(*longer.begin(), 26);
  EXPECT_EQ(*longer.rbegin(), 50);
  EXPECT_EQ(lengths_of("copy", {.size = 100, .min_length = 7, .max_length = 8}),
            (std::set<std::int64_t>{7, 8}));
  EXPECT_EQ(*lengths_of("sort", {.size = 100, .min_length = 30}).begin(), 30);
}

TEST(Corpora, GiveFiftyThousandPhrases) {
  const Corpus corpus = make_corpus("phrases");
  EXPECT_EQ(corpus.train.size(), 47'000u);
  EXPECT_EQ(corpus.valid.size(), 1'000u);
  EXPECT_EQ(corpus.test.size(), 2'000u);
}

TEST(Corpora, SayWhatTheyCannotGive) {
  const auto message = [](std::string_view name, const CorpusOptions& options) {
    return heed::test::message_of<UsageError>([&] { make_corpus(name, options); });
  };
  EXPECT_TRUE(message("phrase", {})
                  .starts_with("no corpus is called \"phrase\" (did you mean \"phrases\"?); there "
                               "are "));
  EXPECT_EQ(message("copy", {.size = 100, .min_length = 1, .max_length = 1}),
            "corpus copy: more pairs are asked for than the 26 or so that there are");
  EXPECT_EQ(message("copy", {.min_length = 9, .max_length = 4}),
            "corpus copy: lengths from 9 to 4; they go from 1 to 10000, the smaller first");
  EXPECT_EQ(message("dates", {.max_length = 4}),
            "corpus dates: its sources have the lengths they have");
  EXPECT_EQ(message("sort", {.size = 2}),
            "corpus sort: 2 pairs; it takes at least 3, one for each part");
}

}  // namespace
}  // namespace heed::corpora
