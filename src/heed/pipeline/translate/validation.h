// SPDX-License-Identifier: Apache-2.0
// Validation of a translator in training: how well it predicts held-out translations, and how well
// its own compare with them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "heed/pipeline/model_card.h"
#include "heed/pipeline/model_folder.h"
#include "heed/pipeline/print.h"
#include "heed/pipeline/translate/translation_options.h"
#include "heed/pipeline/translate/translator.h"
#include "heed/text/pairs.h"
#include "heed/training/early_stopping.h"

namespace heed::pipeline {

class Validation {
 public:
  // Keeps the pairs in memory. `pairs` may be none: then there are no metrics.
  Validation(const TranslationOptions& options, std::vector<text::LinePair> pairs,
             const Vocabularies& vocabularies, std::shared_ptr<models::EncoderDecoder> model);

  // What measure() gives, in the order it is shown.
  const std::vector<training::MetricKind>& metrics() const { return metrics_; }
  training::Metrics measure();
  // The length penalty that suits the model of the folder, which keeps it from now on; a row of the
  // card, none without pairs.
  CardFacts choose(const ModelFolder& folder, const Print& print) const;
  // The first sources with what the model made of them at the last measure().
  std::string samples() const;

  std::size_t size() const { return pairs_.size(); }

 private:
  // What is translated, and what that is compared with; an empty source between documents.
  struct Sides {
    std::vector<std::string> sources{};
    std::vector<std::string> references{};
  };
  Sides first_pairs() const;
  // Whether words are foreseen from one source word at a time.
  bool mixes() const { return options_.model.mixture && options_.model.card().one_attention; }
  // Loss and perplexity per target token and, of a sum over choices, the mean number of keys that
  // a word chooses from.
  void predict(training::Metrics& measured) const;

  const TranslationOptions& options_;
  std::vector<text::LinePair> pairs_;
  std::vector<text::TokenPair> tokens_;
  Translator translator_;
  std::shared_ptr<models::EncoderDecoder> model_;
  std::vector<training::MetricKind> metrics_;
  std::vector<std::string> translated_;  // of the first pairs
};

}  // namespace heed::pipeline
