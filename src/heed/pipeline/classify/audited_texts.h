// SPDX-License-Identifier: Apache-2.0
// Texts as an audit of attention asks for them: the weights of a classifier's words, and what each
// word's state adds to the score of each class.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "heed/base/exported.h"
#include "heed/explain/attention_audit.h"
#include "heed/pipeline/classify/classifier.h"
#include "heed/pipeline/classify/classify_quality.h"

namespace heed::pipeline {

struct AuditQuestions {
  std::size_t aspect = 0;
  std::vector<std::string> explainers{};  // in their written form
  // The words that decide, of each text and aspect; empty: unknown.
  std::span<const Evidence> evidence{};
  bool removals = true;    // whether words are taken out of the text
  std::uint64_t seed = 1;  // of the random order in which they are
  // Asked before each text: whether to end. Not given: never.
  std::function<bool()> enough{};
  std::function<void()> done{};  // told of every text
};

struct AuditedTexts {
  std::vector<explain::AuditedAttention> texts{};
  std::vector<std::vector<std::string>> words{};  // of these
  std::vector<std::string> others{};              // the explainers that were asked, too
  std::size_t passed_over = 0;                    // texts without words
  std::size_t read = 0;                           // fewer than given where it was enough
};

// Special tokens are left out and the weights of words scaled to sum 1. UsageError for a model
// whose answer is not linear in one look of attention: without attention, of documents, several
// hops, matched words or a rationale.
HEED_EXPORTED AuditedTexts audited_texts(const Classifier& classifier,
                                         std::span<const text::LabelledText> texts,
                                         const AuditQuestions& questions);

// The mean cosine of a text's states with their mean (Mohankumar 2020), over texts with words.
HEED_EXPORTED explain::AuditMean audited_conicity(const Classifier& classifier,
                                                  std::span<const text::LabelledText> texts);

// How far another model is, such as the same training with another seed: the Jensen-Shannon
// divergence of weights, in nats, the total variation of probabilities, and answers that are the
// same. UsageError for a model of other labels.
struct BesideModel {
  std::string name{};
  explain::AuditMean weights{}, probabilities{};
  double same = 0;
};
HEED_EXPORTED BesideModel compared_beside(const Classifier& classifier, const Classifier& other,
                                          std::span<const text::LabelledText> texts,
                                          std::size_t aspect);

}  // namespace heed::pipeline
