// SPDX-License-Identifier: Apache-2.0
// What a look adds to scores is linear in its weights, so that gradients by them are exact.
#include "heed/pipeline/classify/audited_texts.h"

#include <memory>
#include <numeric>

#include "heed/base/error.h"
#include "heed/explain/explainer.h"
#include "heed/text/white_space.h"

namespace heed::pipeline {
namespace {

constexpr double kNothing = 1e-9;  // of attention to words, where a special token has it all

// The gradient of a class's score by a word's weight is what the word's state adds to it for each
// unit of weight; what special tokens add stays in the constant. Nothing where they have it all.
explain::AuditedAttention audited(const Classifier& classifier, const Input& input,
                                  std::size_t aspect) {
  explain::AuditedAttention found;
  const text::Aspect& named = classifier.labels().aspects()[aspect];
  double words = 0;
  for (const std::string& label : named.classes) {
    const Explained one = classifier.explained(input, {.aspect = named.name, .label = label});
    if (found.weights.empty()) {
      found.weights = one.subject->attention();
      words = std::accumulate(found.weights.begin(), found.weights.end(), 0.0);
      if (words < kNothing) return {};
      for (double& weight : found.weights) weight /= words;
    }
    std::vector<double>& scores = found.scores.emplace_back(one.subject->attention_gradients());
    double read = 0;
    for (std::size_t t = 0; t < scores.size(); ++t) {
      scores[t] *= words;
      read += found.weights[t] * scores[t];
    }
    found.constants.push_back(one.subject->output() - read);
  }
  return found;
}

}  // namespace

AuditedTexts audited_texts(const Classifier& classifier, std::span<const text::LabelledText> texts,
                           std::size_t aspect, std::span<const std::string> explainers,
                           const std::function<void()>& done) {
  if (!classifier.looks_once()) {
    throw UsageError(
        "audit: this model's answer is not linear in one look of attention at its words (it has no "
        "attention, several hops, documents, matched words or a rationale); audit one that heed "
        "train classify made with --attention");
  }
  std::vector<std::unique_ptr<explain::Explainer>> made;
  for (const std::string& written : explainers) made.push_back(explain::make_explainer(written));
  AuditedTexts all{.others = {explainers.begin(), explainers.end()}};
  for (const text::LabelledText& text : texts) {
    const Input input{.text = text.text, .second = text.second};
    explain::AuditedAttention one;
    if (!text::words_of(text.text).empty()) one = audited(classifier, input, aspect);
    if (one.weights.empty()) {
      ++all.passed_over;
    } else {
      const Explained said =
          classifier.explained(input, {.aspect = classifier.labels().aspects()[aspect].name});
      for (const auto& explainer : made) {
        one.others.push_back(explainer->explain(*said.subject).shares);
      }
      all.texts.push_back(std::move(one));
    }
    if (done) done();
  }
  return all;
}

}  // namespace heed::pipeline
