// SPDX-License-Identifier: Apache-2.0
#include "heed/corpora/reviews.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "heed/base/text.h"

namespace heed::corpora {
namespace {

using Words = std::set<std::string>;

std::vector<std::string> words_of(const Example& review) {
  std::vector<std::string> words;
  for (const std::string_view word : split(review.source, ' ')) {
    words.push_back(lower(word.ends_with('.') ? word.substr(0, word.size() - 1) : word));
  }
  return words;
}

// What a careful reader finds without the labels: after the topic of an aspect, or before it in
// "we remember the ...", the opinion and whether it is denied.
std::string read_aspect(const std::vector<std::string>& words, const Words& topics) {
  static const Words good = {"excellent", "perfect", "wonderful",  "great",    "superb",
                             "central",   "quiet",   "convenient", "spotless", "clean",
                             "fresh",     "polite",  "friendly",   "helpful"};
  static const Words bad = {"terrible", "awful", "poor",      "disappointing", "dreadful",
                            "remote",   "noisy", "dangerous", "dirty",         "filthy",
                            "dusty",    "rude",  "slow",      "unhelpful"};
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (!topics.contains(words[i])) continue;
    if (i >= 3 && words[i - 3] == "remember") return good.contains(words[i - 1]) ? "good" : "bad";
    bool denied = false;
    for (std::size_t j = i + 1; j < words.size(); ++j) {
      denied = denied || words[j] == "not";
      if (good.contains(words[j])) return denied ? "bad" : "good";
      if (bad.contains(words[j])) return denied ? "good" : "bad";
    }
  }
  return "none";
}

TEST(Reviews, AreLabelledAsACarefulReaderWould) {
  const std::vector<Words> topics = {{"location", "area", "neighbourhood", "street", "district"},
                                     {"bathroom", "carpet", "floor", "shower", "bedding"},
                                     {"staff", "service", "receptionist", "waiter", "manager"}};
  Random random(1);
  for (int turn = 0; turn < 2'700; ++turn) {
    const Example review = draw_review(random, turn);
    for (std::size_t aspect = 0; aspect < 3; ++aspect) {
      ASSERT_EQ(review.labels[aspect], read_aspect(words_of(review), topics[aspect]))
          << review.source << ": " << kReviewAspects[aspect];
    }
  }
}

TEST(Reviews, PointAtTheTopicAndTheOpinion) {
  Random random(2);
  const Words topics = {"location", "area",    "neighbourhood", "street", "district",
                        "bathroom", "carpet",  "floor",         "shower", "bedding",
                        "staff",    "service", "receptionist",  "waiter", "manager"};
  for (int turn = 0; turn < 500; ++turn) {
    const Example review = draw_review(random, turn);
    const auto words = words_of(review);
    for (std::size_t aspect = 0; aspect < 3; ++aspect) {
      const std::vector<int>& evidence = review.evidence[aspect];
      ASSERT_EQ(evidence.empty(), review.labels[aspect] == "none");
      if (evidence.empty()) continue;
      ASSERT_GE(evidence.size(), 2u);
      ASSERT_LE(evidence.size(), 3u);
      ASSERT_LT(static_cast<std::size_t>(evidence.back()), words.size());
      ASSERT_EQ(
          std::ranges::count_if(
              evidence,
              [&](int word) { return topics.contains(words[static_cast<std::size_t>(word)]); }),
          1)
          << review.source;
    }
  }
}

TEST(Reviews, BalanceLabelsAndSpreadEvidence) {
  Random random(3);
  std::map<std::string, int> labels;
  std::map<int, int> places;
  int all = 0;
  for (int turn = 0; turn < 2'700; ++turn) {
    const Example review = draw_review(random, turn);
    ++labels[review.labels[1]];
    if (review.evidence[1].empty()) continue;
    ++places[review.evidence[1][0]];
    ++all;
  }
  EXPECT_EQ(labels, (std::map<std::string, int>{{"bad", 900}, {"good", 900}, {"none", 900}}));
  for (const auto& [place, count] : places) EXPECT_LT(count, all / 5) << "word " << place;
}

}  // namespace
}  // namespace heed::corpora
