// SPDX-License-Identifier: Apache-2.0
// A text as explainers ask a classifier about it: the score (logit) of one class, by its words.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "heed/explain/subject.h"
#include "heed/models/classifier.h"
#include "heed/text/tokeniser.h"

namespace heed::pipeline {

class ExplainedText final : public explain::Subject {
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
  explicit ExplainedText(Parts parts) : parts_(std::move(parts)) {}

  std::size_t size() const override { return parts_.words; }
  std::vector<double> outputs(std::span<const explain::Kept> copies,
                              explain::Removal removal) const override;
  bool removes(explain::Removal removal) const override;
  bool has_gradients() const override { return parts_.model->takes_factors(); }
  std::vector<std::vector<double>> factor_gradients(
      std::span<const std::vector<double>> factors) const override;
  bool attends() const override { return !parts_.attention.empty(); }
  std::vector<double> attention() const override;
  bool has_attention_gradients() const override;
  std::vector<double> attention_gradients() const override;

 private:
  // The tokens of a copy, for removals that are not by factors.
  text::Tokens tokens_of(const explain::Kept& kept, explain::Removal removal) const;
  // Copies of the text as it is, one for each row of factors by word.
  models::ClassifierInput scaled(std::span<const std::vector<double>> factors) const;
  models::ClassifierInput input_of(std::span<const text::Tokens> rows) const;
  std::vector<double> by_word(std::span<const Real> tokens) const;
  // Copies that are computed together.
  std::size_t at_once() const;

  Parts parts_;
};

}  // namespace heed::pipeline
