// SPDX-License-Identifier: Apache-2.0
// What every language model shares: single steps, and the check of what it is given.
#include "heed/models/language_model.h"

#include "heed/autograd/ops.h"
#include "heed/base/error.h"

namespace heed::models {

DecoderState LanguageModel::start_remembering(std::int64_t, std::int64_t memory) const {
  throw UsageError(
      "a memory of {} states: this model remembers no segments; train one with --model "
      "transformer_xl",
      memory);
}

Step LanguageModel::step(const DecoderState& state, const Ids& tokens, const Call& call) const {
  Reading reading = read(state, tokens.reshape({tokens.size(), 1}), call);
  const Variable hidden = reshape(reading.hidden, {tokens.size(), reading.hidden.size(-1)});
  return {logits(hidden), std::move(reading.state)};
}

void check_tokens(const char* model, const LanguageModel& reader, const DecoderState& state,
                  const Ids& tokens) {
  if (tokens.rank() != 2 || tokens.size(1) == 0) {
    throw UsageError("{}: tokens {}; it takes [B,T], T above 0", model, tokens.shape().text());
  }
  const std::int64_t behind = state.step + tokens.size(1);
  if (reader.longest() > 0 && behind > reader.longest()) {
    throw UsageError("{}: {} tokens; its context has room for {}: start again with fewer", model,
                     behind, reader.longest());
  }
}

}  // namespace heed::models
