// SPDX-License-Identifier: Apache-2.0
// What every language model shares: single steps, and the check of what it is given.
#include "heed/models/language_model.h"

#include <fmt/format.h>

#include "heed/autograd/ops.h"
#include "heed/base/error.h"

namespace heed::models {

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

std::map<std::string, Tensor> carried_tensors(const DecoderState& state) {
  std::map<std::string, Tensor> tensors;
  const auto put = [&tensors](const std::string& name, const Variable& x) {
    if (x.defined()) tensors[name] = x.value().clone();
  };
  for (std::size_t i = 0; i < state.recurrent.size(); ++i) {
    put(fmt::format("{}.h", i), state.recurrent[i].h);
    put(fmt::format("{}.c", i), state.recurrent[i].c);
  }
  if (state.history.empty()) return tensors;
  put("history", state.history.front().keys);
  const attention::AttentionState& past = state.attentions.front();
  put("previous", past.previous);
  put("coverage", past.coverage);
  for (std::size_t i = 0; i < past.hidden.size(); ++i) {
    put(fmt::format("hidden.{}", i), past.hidden[i]);
  }
  return tensors;
}

DecoderState carried_state(const std::map<std::string, Tensor>& tensors) {
  const auto find = [&tensors](const std::string& name) {
    const auto found = tensors.find(name);
    return found == tensors.end() ? Variable() : Variable(found->second);
  };
  DecoderState state;
  for (std::size_t i = 0; tensors.contains(fmt::format("{}.h", i)); ++i) {
    state.recurrent.push_back({find(fmt::format("{}.h", i)), find(fmt::format("{}.c", i))});
  }
  if (state.recurrent.empty()) throw DataError("carried state: no tensor \"0.h\" is there");
  if (!tensors.contains("history")) return state;
  const Variable keys = find("history");
  state.history.push_back({.keys = keys, .values = keys, .projected = {}, .data = {}});
  attention::AttentionState& past = state.attentions.emplace_back();
  past.previous = find("previous");
  past.coverage = find("coverage");
  for (std::size_t i = 0; tensors.contains(fmt::format("hidden.{}", i)); ++i) {
    past.hidden.push_back(find(fmt::format("hidden.{}", i)));
  }
  return state;
}

}  // namespace heed::models
