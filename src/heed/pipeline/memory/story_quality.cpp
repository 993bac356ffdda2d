// SPDX-License-Identifier: Apache-2.0
// Answers counted, weights held against supporting facts.
#include "heed/pipeline/memory/story_quality.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <set>

#include "heed/attention/trace.h"
#include "heed/autograd/ops.h"
#include "heed/pipeline/probability.h"

namespace heed::pipeline {
namespace {

// Row b of what a hop left: its slots, then all empty ones as one.
std::vector<double> slot_weights(const Tensor& weights, std::int64_t row, std::size_t length) {
  std::vector<double> all(length + 1, 0);
  for (std::int64_t slot = 0; slot < weights.size(3); ++slot) {
    const auto place = std::min(static_cast<std::size_t>(slot), length);
    all[place] += static_cast<double>(attention::share_of(weights.at({row, 0, 0, slot})));
  }
  return all;
}

text::Token best_answer(const Tensor& logits, std::int64_t row) {
  const std::vector<Real> scores = logits.select(0, row).values();
  const auto best = std::max_element(scores.begin() + text::kFirstPiece, scores.end());
  return static_cast<text::Token>(best - scores.begin());
}

void count_support(const AskedQuestion& question, const QuestionRead& read, SupportQuality& sum) {
  const std::set<int> facts(question.support.begin(), question.support.end());
  ++sum.questions;
  sum.hops.resize(std::max(sum.hops.size(), read.weights.size()));
  std::set<int> looked_at;
  for (std::size_t hop = 0; hop < read.weights.size(); ++hop) {
    const std::vector<double>& weights = read.weights[hop];
    const auto top = static_cast<int>(std::ranges::max_element(weights) - weights.begin());
    looked_at.insert(top);
    sum.hops[hop].top += facts.contains(top) ? 1 : 0;
    for (const int fact : facts) {
      if (fact >= 0) sum.hops[hop].mass += weights[static_cast<std::size_t>(fact)];
    }
  }
  const auto seen = [&](int fact) { return looked_at.contains(fact); };
  sum.found += std::ranges::any_of(facts, seen) ? 1 : 0;
  sum.all_found += std::ranges::all_of(facts, seen) ? 1 : 0;
}

void divide(SupportQuality& sum) {
  if (sum.questions == 0) return;
  const auto count = static_cast<double>(sum.questions);
  for (HopQuality& hop : sum.hops) {
    hop.top /= count;
    hop.mass /= count;
  }
  sum.found /= count;
  sum.all_found /= count;
}

}  // namespace

std::vector<QuestionRead> read_questions(const models::MemoryNetwork& model,
                                         const StoryTable& table,
                                         std::span<const AskedQuestion> questions,
                                         const MemorySizes& sizes, std::int64_t batch) {
  const NoGradient values_only;
  std::vector<QuestionRead> all;
  std::vector<std::size_t> chosen;
  for (std::size_t first = 0; first < questions.size(); first += chosen.size()) {
    chosen.resize(std::min(static_cast<std::size_t>(batch), questions.size() - first));
    std::iota(chosen.begin(), chosen.end(), first);
    attention::Trace trace;
    const models::StoryBatch stories = story_batch(table, questions, chosen, sizes, 0, nullptr);
    const Tensor logits = model(stories, {.watch = &trace}).logits.value();
    const Tensor chances = log_softmax(Variable(logits)).value();
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      const auto row = static_cast<std::int64_t>(i);
      const AskedQuestion& question = questions[chosen[i]];
      QuestionRead& read = all.emplace_back();
      read.best = best_answer(logits, row);
      read.log_probability = question.answer == text::kUnknown
                                 ? -std::numeric_limits<double>::infinity()
                                 : require_probability(chances.at({row, question.answer}),
                                                       "the answer of line", question.line);
      for (const attention::Trace::Entry& hop : trace.entries()) {
        read.weights.push_back(slot_weights(hop.weights, row, question.keys.size()));
      }
    }
  }
  return all;
}

StoryQuality quality_of(std::string name, std::span<const AskedQuestion> questions,
                        std::span<const QuestionRead> read) {
  StoryQuality quality{.name = std::move(name), .questions = questions.size()};
  double known = 0;
  for (std::size_t i = 0; i < questions.size(); ++i) {
    const bool right = read[i].best == questions[i].answer && questions[i].answer != text::kUnknown;
    quality.wrong += right ? 0 : 1;
    if (std::isfinite(read[i].log_probability)) {
      quality.loss -= read[i].log_probability;
      known += 1;
    }
    if (!questions[i].support.empty()) {
      count_support(questions[i], read[i], right ? quality.right : quality.wrong_ones);
    }
  }
  if (known > 0) quality.loss /= known;
  divide(quality.right);
  divide(quality.wrong_ones);
  return quality;
}

std::vector<std::string> signs_of_collapse(std::span<const AskedQuestion> questions,
                                           std::span<const QuestionRead> read) {
  constexpr double kAlone = .95;  // the mean weight of empty slots
  std::vector<std::string> signs;
  std::map<text::Token, std::size_t> answers;
  std::size_t most = 0, right = 0;
  std::vector<double> nothing(read.empty() ? 0 : read.front().weights.size(), 0);
  for (std::size_t i = 0; i < questions.size(); ++i) {
    most = std::max(most, ++answers[questions[i].answer]);
    right += read[i].best == questions[i].answer ? 1 : 0;
    for (std::size_t hop = 0; hop < nothing.size(); ++hop)
      nothing[hop] += read[i].weights[hop].back();
  }
  const auto count = static_cast<double>(questions.size());
  if (answers.size() > 1 && right <= most) {
    signs.push_back(fmt::format(
        "{:.1f}% of the training questions are answered wrong, as many as by saying the most "
        "frequent answer to all of them: train from another --seed, with more epochs of "
        "--linear-start, or with another --learning-rate",
        100 * (1 - static_cast<double>(right) / count)));
  }
  for (std::size_t hop = 0; hop < nothing.size(); ++hop) {
    if (nothing[hop] / count < kAlone) continue;
    signs.push_back(
        fmt::format("hop {} looks at the empty slots alone (mean weight {:.3f}), so that it reads "
                    "nothing: train from another --seed, or with fewer --hops",
                    hop + 1, nothing[hop] / count));
  }
  return signs;
}

double mean_error(std::span<const StoryQuality> tasks) {
  double sum = 0;
  for (const StoryQuality& task : tasks) sum += task.error();
  return sum / static_cast<double>(tasks.size());
}

}  // namespace heed::pipeline
