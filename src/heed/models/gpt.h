// SPDX-License-Identifier: Apache-2.0
// The decoder-only Transformer (Radford 2018): a causal stack over the text so far, its keys and
// values kept from step to step.
#pragma once  // public header

#include <vector>

#include "heed/models/language_model.h"
#include "heed/models/transformer_stack.h"

#pragma GCC visibility push(default)  // exported

namespace heed::models {

struct GptOptions {
  std::int64_t vocabulary = 0;
  std::int64_t context = 64;  // tokens it sees at most
  Tie tie = Tie::target;      // none: the output has a table of its own
  // Its `causal`, `cross`, `longest` and `name` are set by the model.
  TransformerStackOptions stack{.name = "gpt",
                                .activation = Activation::gelu,
                                .positions = Positions::learned,
                                .causal = true};
};

class Gpt final : public LanguageModel {
 public:
  Gpt(const GptOptions& options, Random& random);

  void visit(nn::ParameterVisitor& visitor) override;
  std::int64_t vocabulary() const override { return options_.vocabulary; }
  std::int64_t longest() const override { return options_.context; }
  DecoderState start(std::int64_t tracks) const override;
  Reading read(const DecoderState& state, const Ids& tokens, const Call& call) const override;
  Variable logits(const Variable& hidden) const override;

 private:
  GptOptions options_;
  nn::Embedding words_;
  TransformerStack stack_;
  Variable output_;       // [V,D] unless tied
  Variable output_bias_;  // [V]
};

}  // namespace heed::models

#pragma GCC visibility pop
