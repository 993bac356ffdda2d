// SPDX-License-Identifier: Apache-2.0
// A source as explainers ask a translator about it: the log-probability of one piece of a
// translation after those before it, by the words of the source.
#pragma once

#include <memory>

#include "heed/models/encoder_decoder.h"
#include "heed/pipeline/explained_tokens.h"

namespace heed::pipeline {

class ExplainedTranslation final : public ExplainedTokens {
 public:
  struct Parts {
    std::shared_ptr<const models::EncoderDecoder> model;
    text::Encoding source{};  // with its end
    text::Tokens copies{};    // of models that copy, with an end; else empty
    std::size_t words = 0;    // of the source
    text::Tokens target{};    // up to the piece that is explained
  };
  explicit ExplainedTranslation(Parts parts);

  bool has_vectors() const override { return true; }
  bool attends() const override { return has_looks() && !looks().reads.empty(); }
  std::vector<double> attention() const override;

 private:
  Variable numbers(std::span<const Copy> copies, attention::Observer* watch) const override;
  nn::Parameters parameters() const override { return nn::parameters(*model_); }
  std::optional<LooksPlan> plan() const override;

  std::shared_ptr<const models::EncoderDecoder> model_;
  text::Tokens copies_;
  text::Tokens target_;
};

}  // namespace heed::pipeline
