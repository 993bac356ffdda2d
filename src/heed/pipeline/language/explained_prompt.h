// SPDX-License-Identifier: Apache-2.0
// A prompt as explainers ask a language model about it: the log-probability of one token of what
// was written after it, by the words of the prompt.
#pragma once

#include <memory>

#include "heed/models/language_model.h"
#include "heed/pipeline/explained_tokens.h"

namespace heed::pipeline {

class ExplainedPrompt final : public ExplainedTokens {
 public:
  struct Parts {
    std::shared_ptr<const models::LanguageModel> model;
    text::Tokens tokens{};     // of the prompt and what was written before the token
    std::vector<int> words{};  // -1 for what is not the prompt's
    std::size_t words_in_all = 0;
    text::Token next = 0;
  };
  explicit ExplainedPrompt(Parts parts);

  bool has_vectors() const override { return true; }
  bool attends() const override { return has_looks(); }
  std::vector<double> attention() const override;

 private:
  Variable numbers(std::span<const Copy> copies, attention::Observer* watch) const override;
  nn::Parameters parameters() const override { return nn::parameters(*model_); }
  std::optional<LooksPlan> plan() const override;

  std::shared_ptr<const models::LanguageModel> model_;
  text::Token next_ = 0;
};

}  // namespace heed::pipeline
