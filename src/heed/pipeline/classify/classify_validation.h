// SPDX-License-Identifier: Apache-2.0
// Texts that a classifier does not learn from: how well they are classified while it learns, and
// what is chosen by them when training has ended.
#pragma once

#include <string>
#include <vector>

#include "heed/models/classifier.h"
#include "heed/pipeline/classify/attention_losses.h"
#include "heed/pipeline/classify/classify_data.h"
#include "heed/pipeline/classify/gold_trees.h"
#include "heed/pipeline/held_out.h"
#include "heed/pipeline/model_card.h"
#include "heed/training/rationale_loss.h"

namespace heed::pipeline {

class ClassifyValidation {
 public:
  // What the training has; all but the trees must outlive this.
  struct Training {
    const ClassifyOptions& options;
    const ClassifyFiles& files;
    const text::Tokeniser& tokeniser;
    const text::Labels& labels;
    const models::Classifier& model;
    const GoldTrees& trees;  // of the training file, which validation may be a part of
    const AttentionLosses& asked;
  };
  explicit ClassifyValidation(const Training& training);

  // Empty without texts.
  std::vector<training::MetricKind> metrics() const;
  training::Metrics measure();
  std::string samples() const;

  const std::vector<text::TokenPair>& pairs() const { return pairs_; }
  std::vector<std::string> examples() const;

  // Temperatures and thresholds of the model of the folder, which keeps them from now on; rows of
  // the card, none without texts.
  CardFacts choose(const ModelFolder& folder, const Print& print) const;

 private:
  // Adds how many heads [B,S] of a batch's tokens are those of its trees.
  void compare_trees(const Ids& heads, const text::PairBatch& batch, TreeQuality& trees) const;

  const ClassifyOptions& options_;
  const text::Labels& labels_;
  const models::Classifier& model_;
  const AttentionLosses& asked_;
  training::RationaleLoss rationale_;
  HeldOutLines held_;
  std::vector<text::TokenPair> pairs_;
  std::vector<text::LabelledText> texts_;
  std::vector<text::Heads> trees_;  // of tokens; empty where none are known
  std::vector<std::vector<std::string>> guessed_;
};

}  // namespace heed::pipeline
