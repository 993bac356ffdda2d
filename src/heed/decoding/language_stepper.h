// SPDX-License-Identifier: Apache-2.0
// LanguageStepper: a language model after a prompt, as a search steps through it.
#pragma once  // public header

#include <cstdint>
#include <vector>

#include "heed/decoding/continuous_cache.h"
#include "heed/decoding/stepper.h"
#include "heed/models/language_model.h"
#include "heed/tensor/packed_weights.h"

#pragma GCC visibility push(default)  // exported

namespace heed::decoding {

struct LanguageStepperOptions {
  CacheOptions cache{};
  attention::Observer* watch = nullptr;  // sees the attentions of the prompt
  std::int64_t memory = -1;  // states that a model with a memory keeps; -1: as it learnt
};

// Reads the prompt at once, of a model with a limited context at most its last tokens. When the
// context is full it resumes from the last half of it: reading again costs once in that many steps.
class LanguageStepper final : public Stepper {
 public:
  // The model must outlive the stepper. UsageError for a prompt without a token.
  LanguageStepper(const models::LanguageModel& model, const text::Tokens& prompt,
                  const LanguageStepperOptions& options = {});

  std::int64_t rows() const override { return static_cast<std::int64_t>(texts_.size()); }
  // The first call scores what follows the prompt, whatever its tokens.
  Tensor step(const Ids& tokens, attention::Observer* watch) override;
  void reorder(const Ids& rows) override;

  // The last tokens of the prompt that were read: all, or as many as the context has room for.
  std::int64_t prompt_read() const { return prompt_read_; }

 private:
  void read(const Ids& tokens, attention::Observer* watch);  // [N,T]
  Tensor log_probabilities() const;

  const models::LanguageModel& model_;
  CacheOptions cache_;
  PackedWeights weights_;
  bool begun_ = false;
  std::int64_t prompt_read_ = 0;
  models::DecoderState state_;
  Tensor hidden_;                        // [N,D], of the last token
  std::vector<text::Tokens> texts_;      // of each row, where the context is limited
  std::vector<ContinuousCache> caches_;  // of each row
};

}  // namespace heed::decoding

#pragma GCC visibility pop
