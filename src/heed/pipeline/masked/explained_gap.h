// SPDX-License-Identifier: Apache-2.0
// A text with a gap as explainers ask a masked language model about it: the log-probability of one
// word in the gap, by the words around it.
#pragma once

#include <memory>

#include "heed/models/masked_model.h"
#include "heed/pipeline/explained_tokens.h"

namespace heed::pipeline {

class ExplainedGap final : public ExplainedTokens {
 public:
  struct Parts {
    std::shared_ptr<const models::MaskedModel> model;
    text::Tokens tokens{};  // with its ends
    std::vector<int> words{};
    std::size_t words_in_all = 0;
    text::Token nobody = text::kUnknown;
    std::size_t place = 0;  // of the gap's token
    text::Token guess = 0;
  };
  explicit ExplainedGap(Parts parts);

  bool has_vectors() const override { return true; }
  bool attends() const override { return has_looks(); }
  std::vector<double> attention() const override;

 private:
  Variable numbers(std::span<const Copy> copies, attention::Observer* watch) const override;
  nn::Parameters parameters() const override { return nn::parameters(*model_); }
  std::optional<LooksPlan> plan() const override;

  std::shared_ptr<const models::MaskedModel> model_;
  std::size_t place_ = 0;
  text::Token guess_ = 0;
};

}  // namespace heed::pipeline
