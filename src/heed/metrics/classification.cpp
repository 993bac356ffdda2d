// SPDX-License-Identifier: Apache-2.0
// Counting decisions, and ranking scores.
#include "heed/metrics/classification.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "heed/base/error.h"
#include "heed/base/text.h"

namespace heed::metrics {
namespace {

double share(std::int64_t part, std::int64_t whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

double harmonic(double precision, double recall) {
  return precision + recall > 0 ? 2 * precision * recall / (precision + recall) : 0;
}

}  // namespace

Confusion::Confusion(std::vector<std::string> classes)
    : classes_(std::move(classes)), counts_(classes_.size() * classes_.size(), 0) {}

void Confusion::add(std::int32_t truth, std::int32_t found) {
  const auto count = static_cast<std::int64_t>(classes_.size());
  if (truth < 0 || truth >= count || found < 0 || found >= count) {
    throw UsageError("confusion: classes {} and {}; there are 0 to {}", truth, found, count - 1);
  }
  ++counts_[static_cast<std::size_t>(truth * count + found)];
}

std::int64_t Confusion::count(std::size_t truth, std::size_t found) const {
  return counts_[truth * classes_.size() + found];
}

std::int64_t Confusion::examples() const {
  return std::accumulate(counts_.begin(), counts_.end(), std::int64_t{0});
}

double Confusion::accuracy() const {
  std::int64_t right = 0;
  for (std::size_t i = 0; i < classes_.size(); ++i) right += count(i, i);
  return share(right, examples());
}

ClassQuality Confusion::of(std::size_t one) const {
  std::int64_t there = 0;
  std::int64_t found = 0;
  for (std::size_t i = 0; i < classes_.size(); ++i) {
    there += count(one, i);
    found += count(i, one);
  }
  const double precision = share(count(one, one), found);
  const double recall = share(count(one, one), there);
  return {precision, recall, harmonic(precision, recall), there};
}

ClassQuality Confusion::macro() const {
  ClassQuality mean{.support = examples()};
  double seen = 0;
  for (std::size_t i = 0; i < classes_.size(); ++i) {
    const ClassQuality mine = of(i);
    if (mine.support == 0) continue;
    ++seen;
    mean.precision += mine.precision;
    mean.recall += mine.recall;
    mean.f1 += mine.f1;
  }
  if (seen == 0) return mean;
  mean.precision /= seen;
  mean.recall /= seen;
  mean.f1 /= seen;
  return mean;
}

ClassQuality Confusion::micro() const {
  return {accuracy(), accuracy(), accuracy(), examples()};
}

std::string Confusion::text() const {
  std::size_t name = std::string_view("true \\ found").size();
  std::size_t cell = 6;
  for (const std::string& one : classes_) {
    name = std::max(name, display_width(one));
    cell = std::max(cell, display_width(one));
  }
  std::string lines = pad_right("true \\ found", name);
  for (const std::string& one : classes_) lines += "  " + pad_left(one, cell);
  lines += "  precision  recall     F1\n";
  for (std::size_t i = 0; i < classes_.size(); ++i) {
    lines += pad_right(classes_[i], name);
    for (std::size_t j = 0; j < classes_.size(); ++j) {
      lines += "  " + pad_left(fmt::format("{}", count(i, j)), cell);
    }
    const ClassQuality mine = of(i);
    lines += fmt::format("  {:9.3f}  {:6.3f}  {:5.3f}\n", mine.precision, mine.recall, mine.f1);
  }
  return lines;
}

double roc_auc(std::span<const double> scores, const std::vector<bool>& positive) {
  if (scores.size() != positive.size()) {
    throw UsageError("ROC-AUC: {} scores for {} examples; it takes one for each", scores.size(),
                     positive.size());
  }
  // NaN has no place in an order.
  if (std::ranges::any_of(scores, [](double score) { return std::isnan(score); })) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return scores[i]; });
  double positives = 0;
  double above = 0;  // pairs of a positive and a negative below it, ties counting half
  double below = 0;  // negatives of lower scores
  for (std::size_t first = 0; first < order.size();) {
    std::size_t end = first;
    double tied[2] = {0, 0};  // negatives and positives of this score
    for (; end < order.size() && scores[order[end]] == scores[order[first]]; ++end) {
      ++tied[positive[order[end]] ? 1 : 0];
    }
    above += tied[1] * (below + tied[0] / 2);
    below += tied[0];
    positives += tied[1];
    first = end;
  }
  if (positives == 0 || below == 0) return std::numeric_limits<double>::quiet_NaN();
  return above / (positives * below);
}

double roc_auc_one_vs_rest(std::span<const double> probabilities,
                           std::span<const std::int32_t> truth, std::size_t classes) {
  if (probabilities.size() != truth.size() * classes) {
    throw UsageError("ROC-AUC: {} probabilities for {} examples of {} classes; it takes {}",
                     probabilities.size(), truth.size(), classes, truth.size() * classes);
  }
  double sum = 0;
  double counted = 0;
  for (std::size_t one = 0; one < classes; ++one) {
    std::vector<double> scores;
    std::vector<bool> positive;
    for (std::size_t i = 0; i < truth.size(); ++i) {
      scores.push_back(probabilities[i * classes + one]);
      positive.push_back(truth[i] == static_cast<std::int32_t>(one));
    }
    const double area = roc_auc(scores, positive);
    if (std::isnan(area)) continue;
    sum += area;
    ++counted;
  }
  return counted > 0 ? sum / counted : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace heed::metrics
