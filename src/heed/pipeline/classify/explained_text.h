// SPDX-License-Identifier: Apache-2.0
// A text as explainers ask a classifier about it: the score (logit) of one class, by its words.
#pragma once

#include <memory>
#include <vector>

#include "heed/models/classifier.h"
#include "heed/pipeline/explained_tokens.h"

namespace heed::pipeline {

class ExplainedText final : public ExplainedTokens {
 public:
  struct Parts {
    std::shared_ptr<const models::Classifier> model;
    text::Encoding text;    // with its ends
    text::Tokens second;    // with its end, of pairs; else empty
    std::size_t words = 0;  // of the text
    std::size_t aspect = 0;
    std::int64_t label = 0;
    std::vector<double> attention{};  // of each word; empty without
  };
  explicit ExplainedText(Parts parts);

  bool has_vectors() const override { return model_->shows_words(); }
  bool attends() const override { return !attention_.empty(); }
  std::vector<double> attention() const override;
  bool has_attention_gradients() const override;
  std::vector<double> attention_gradients() const override;

 private:
  Variable numbers(std::span<const Copy> copies, attention::Observer* watch) const override;
  nn::Parameters parameters() const override { return nn::parameters(*model_); }
  bool is_text(const attention::Site& site) const override;
  Slots slots() const override;
  std::optional<LooksPlan> plan() const override;
  // Whether the site is this aspect's last look at the text.
  bool is_pooling(const attention::Site& site) const;

  std::shared_ptr<const models::Classifier> model_;
  text::Tokens second_;
  std::size_t aspect_ = 0;
  std::int64_t label_ = 0;
  std::vector<double> attention_;
};

}  // namespace heed::pipeline
