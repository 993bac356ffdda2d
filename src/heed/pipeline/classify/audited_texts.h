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

namespace heed::pipeline {

struct AuditedTexts {
  std::vector<explain::AuditedAttention> texts{};
  std::vector<std::string> others{};  // the explainers that were asked, too
  std::size_t passed_over = 0;        // texts without words
};

// Special tokens are left out and the weights of words scaled to sum 1. `explainers` in their
// written form. `done` is told of every text. UsageError for a model whose answer is not linear in
// one look of attention: without attention, of documents, several hops, matched words or a
// rationale.
HEED_EXPORTED AuditedTexts audited_texts(const Classifier& classifier,
                                         std::span<const text::LabelledText> texts,
                                         std::size_t aspect,
                                         std::span<const std::string> explainers,
                                         const std::function<void()>& done = {});

}  // namespace heed::pipeline
