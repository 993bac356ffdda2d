// SPDX-License-Identifier: Apache-2.0
// Opinions as clauses, joined and shuffled.
#include "heed/corpora/reviews.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "heed/corpora/choose.h"
#include "heed/corpora/listed_corpus.h"

namespace heed::corpora {
namespace {

constexpr std::string_view kLocation[] = {"location", "area", "neighbourhood", "street",
                                          "district"};
constexpr std::string_view kCleanliness[] = {"bathroom", "carpet", "floor", "shower", "bedding"};
constexpr std::string_view kService[] = {"staff", "service", "receptionist", "waiter", "manager"};
constexpr std::string_view kOther[] = {"weather", "film", "flight", "museum",
                                       "concert", "tour", "book",   "match"};

// Said of anything.
constexpr std::string_view kGood[] = {"excellent", "perfect", "wonderful", "great", "superb"};
constexpr std::string_view kBad[] = {"terrible", "awful", "poor", "disappointing", "dreadful"};

// Said of one aspect only; the last row is for what is no aspect.
constexpr std::string_view kOwnGood[][3] = {{"central", "convenient", "quiet"},
                                            {"spotless", "clean", "fresh"},
                                            {"friendly", "helpful", "polite"},
                                            {"interesting", "pleasant", "memorable"}};
constexpr std::string_view kOwnBad[][3] = {{"remote", "noisy", "dangerous"},
                                           {"dirty", "filthy", "dusty"},
                                           {"rude", "slow", "unhelpful"},
                                           {"boring", "unpleasant", "forgettable"}};

constexpr std::size_t kAspects = kReviewAspects.size();
constexpr std::size_t kNoAspect = kAspects;

struct Clause {
  std::vector<std::string> words = {};
  std::vector<int> evidence = {};
  std::size_t aspect = kNoAspect;
};

std::string_view pick_topic(Random& random, std::size_t aspect) {
  switch (aspect) {
    case 0:
      return pick(random, kLocation);
    case 1:
      return pick(random, kCleanliness);
    case 2:
      return pick(random, kService);
    default:
      return pick(random, kOther);
  }
}

std::string_view pick_word(Random& random, std::size_t aspect, bool good) {
  if (chance(random, 0.6)) return good ? pick(random, kGood) : pick(random, kBad);
  return good ? pick(random, kOwnGood[aspect]) : pick(random, kOwnBad[aspect]);
}

void add(Clause& clause, std::string_view word, bool decides = false) {
  if (decides) clause.evidence.push_back(static_cast<int>(clause.words.size()));
  clause.words.emplace_back(word);
}

Clause draw_opinion(Random& random, std::size_t aspect, bool good) {
  Clause clause{.aspect = aspect};
  const std::string_view topic = pick_topic(random, aspect);
  enum class Form { was, found, must_say, remember };
  const Form form = pick_weighted<Form>(
      random, {{Form::was, 4}, {Form::found, 2}, {Form::must_say, 1}, {Form::remember, 2}});
  const bool negated = form != Form::remember && chance(random, 0.2);
  const std::string_view word = pick_word(random, aspect, good != negated);
  constexpr std::string_view kDegrees[] = {"really", "very", "quite", "absolutely"};
  const auto opinion = [&] {
    if (negated) {
      add(clause, "not", true);
    } else if (chance(random, 0.4)) {
      add(clause, pick(random, kDegrees));
    }
    add(clause, word, true);
  };
  switch (form) {
    case Form::was:
      add(clause, "the");
      add(clause, topic, true);
      add(clause, "was");
      opinion();
      break;
    case Form::found:
      for (const char* before : {"we", "found", "the"}) add(clause, before);
      add(clause, topic, true);
      opinion();
      break;
    case Form::must_say:
      for (const char* before : {"I", "must", "say", "that", "the"}) add(clause, before);
      add(clause, topic, true);
      add(clause, "was");
      opinion();
      break;
    case Form::remember:
      for (const char* before : {"we", "remember", "the"}) add(clause, before);
      add(clause, word, true);
      add(clause, topic, true);
      break;
  }
  return clause;
}

// Says where and when, and no opinion.
Clause draw_remark(Random& random) {
  constexpr std::string_view kRemarks[] = {
      "we stayed for two nights", "my sister came with us", "breakfast is at eight",
      "we had booked in March",   "the room has a balcony", "I travel for work",
      "we arrived by train",      "it rained on Sunday",    "the lift is on the left"};
  Clause clause;
  const std::string_view remark = pick(random, kRemarks);
  for (std::size_t begin = 0; begin < remark.size();) {
    const std::size_t end = std::min(remark.find(' ', begin), remark.size());
    add(clause, remark.substr(begin, end - begin));
    begin = end + 1;
  }
  return clause;
}

// Appends a clause as a sentence of its own, or joined to the one before.
void append(Random& random, Example& review, const Clause& clause, bool last) {
  auto words = static_cast<int>(std::ranges::count(review.source, ' ')) + 1;
  std::string first = clause.words[0];
  if (review.source.empty()) {
    words = 0;
  } else if (review.source.ends_with('.')) {
    review.source += ' ';
  } else {
    constexpr std::string_view kJoins[] = {"and", "but", "while"};
    review.source += fmt::format(" {} ", pick(random, kJoins));
    ++words;
  }
  if (review.source.empty() || review.source.ends_with(". ")) {
    first[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(first[0])));
  }
  review.source += first;
  for (std::size_t i = 1; i < clause.words.size(); ++i) review.source += ' ' + clause.words[i];
  if (last || chance(random, 0.7)) review.source += '.';
  if (clause.aspect == kNoAspect) return;
  for (const int word : clause.evidence) review.evidence[clause.aspect].push_back(words + word);
}

}  // namespace

Example draw_review(Random& random, std::int64_t turn) {
  Example review{.evidence = std::vector<std::vector<int>>(kAspects)};
  std::vector<Clause> clauses;
  for (std::size_t aspect = 0; aspect < kAspects; ++aspect, turn /= 3) {
    constexpr std::string_view kLabels[] = {"good", "bad", "none"};
    const auto label = static_cast<std::size_t>(turn % 3);
    review.labels.emplace_back(kLabels[label]);
    if (label < 2) clauses.push_back(draw_opinion(random, aspect, label == 0));
  }
  const std::int64_t others = pick_between(random, 1, 2);
  for (std::int64_t i = 0; i < others; ++i) {
    clauses.push_back(draw_opinion(random, kNoAspect, chance(random, 0.5)));
  }
  const std::int64_t remarks = pick_between(random, 0, 2);
  for (std::int64_t i = 0; i < remarks; ++i) clauses.push_back(draw_remark(random));
  random.shuffle(clauses);
  for (const Clause& clause : clauses) append(random, review, clause, &clause == &clauses.back());
  return review;
}

namespace {

const ListedCorpus kReviews(
    {.name = "reviews",
     .description = "Hotel reviews with opinions on location, cleanliness and service",
     .kind = CorpusKind::labelled,
     .size = 10'000,
     .units = "reviews",
     .aspects = "location,cleanliness,service"},
    [](Random& random, const CorpusDraw& draw) { return draw_review(random, draw.turn); });

}  // namespace
}  // namespace heed::corpora
