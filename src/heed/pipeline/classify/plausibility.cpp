// SPDX-License-Identifier: Apache-2.0
// Every explainer's order of the words beside the evidence.
#include "heed/pipeline/classify/plausibility.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "heed/base/error.h"
#include "heed/explain/explainer.h"
#include "heed/metrics/average_precision.h"

namespace heed::pipeline {
namespace {

// Draws that are others in every text.
std::string with_seed(const std::string& written, std::size_t text) {
  return written == "random" ? fmt::format("random(seed={})", text + 1) : written;
}

// What an explainer has found so far.
struct Found {
  std::vector<double> precisions{};  // of texts
  std::vector<double> shares{};      // of all words, scaled
  std::vector<bool> relevant{};

  void add(const std::vector<double>& mine, const std::vector<bool>& evidence) {
    precisions.push_back(*metrics::average_precision(mine, evidence));
    double largest = 0;
    for (const double share : mine) largest = std::max(largest, std::abs(share));
    for (const double share : mine) shares.push_back(largest > 0 ? share / largest : 0);
    relevant.insert(relevant.end(), evidence.begin(), evidence.end());
  }
};

void finish(Plausibility::Method& method, const Found& all) {
  const std::vector<double>& found = all.precisions;
  method.texts = found.size();
  method.pooled = metrics::average_precision(all.shares, all.relevant).value_or(0);
  const auto count = static_cast<double>(found.size());
  for (const double one : found) method.precision += one / count;
  for (const double one : found) {
    method.deviation += (one - method.precision) * (one - method.precision) / count;
  }
  method.deviation = std::sqrt(method.deviation);
}

}  // namespace

Plausibility plausibility(const Classifier& classifier, std::span<const text::LabelledText> texts,
                          std::span<const Evidence> evidence, std::size_t aspect,
                          std::span<const std::string> explainers,
                          const std::function<void()>& done) {
  if (evidence.size() != texts.size()) {
    throw UsageError(
        "evidence: {} lines for {} texts; line n of one must belong to line n of the other",
        evidence.size(), texts.size());
  }
  const std::string& name = classifier.labels().aspects()[aspect].name;
  Plausibility all;
  for (const std::string& written : explainers) {
    explain::make_explainer(written);
    all.methods.push_back({.written = written});
  }
  std::vector<Found> found(explainers.size());
  std::size_t words = 0, decide = 0;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (aspect >= evidence[i].size()) {
      throw UsageError("evidence: {} aspects for \"{}\"; choose its column with --evidence-columns",
                       evidence[i].size(), name);
    }
    if (!evidence[i][aspect].empty()) {
      const Explained explained = classifier.explained(
          {.text = texts[i].text, .second = texts[i].second}, {.aspect = name});
      std::vector<bool> relevant(explained.words.size(), false);
      for (const int word : evidence[i][aspect]) relevant.at(static_cast<std::size_t>(word)) = true;
      ++all.texts;
      words += relevant.size();
      decide += evidence[i][aspect].size();
      for (std::size_t m = 0; m < explainers.size(); ++m) {
        const std::vector<double> shares = explain::make_explainer(with_seed(explainers[m], i))
                                               ->explain(*explained.subject)
                                               .shares;
        if (shares.empty()) {
          ++all.methods[m].undefined;
        } else {
          found[m].add(shares, relevant);
        }
      }
    }
    if (done) done();
  }
  if (words > 0) all.base_rate = static_cast<double>(decide) / static_cast<double>(words);
  for (std::size_t m = 0; m < explainers.size(); ++m) finish(all.methods[m], found[m]);
  return all;
}

}  // namespace heed::pipeline
