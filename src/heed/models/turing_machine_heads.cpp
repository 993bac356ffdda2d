// SPDX-License-Identifier: Apache-2.0
// What the controller says is the query of all heads; slots are keys and values.
#include "heed/models/turing_machine_heads.h"

#include "heed/autograd/ops.h"
#include "heed/base/error.h"

namespace heed::models {

std::shared_ptr<attention::Attention> looking(const TuringMachineOptions& options,
                                              std::int64_t heads, Random& random) {
  std::shared_ptr<attention::Attention> look =
      attention::make_attention(options.attention,
                                {.query_width = options.hidden,
                                 .key_width = options.width,
                                 .value_width = options.width,
                                 .heads = heads,
                                 .key_heads = 1},
                                random);
  if (!look->gives_weights()) {
    throw UsageError("turing machine: \"{}\" shows no weights, by which heads read and write",
                     look->written());
  }
  attention::check_stepwise("turing machine", *look);
  return look;
}

attention::Attended looked_at(const attention::Attention& look, const Variable& h,
                              const Variable& memory, const attention::AttentionState& state,
                              const Call& call, const attention::Site& site) {
  const std::int64_t batch = h.size(0), hidden = h.size(1), heads = look.shape().heads;
  const Variable query = expand(reshape(h, {batch, 1, 1, hidden}), {batch, heads, 1, hidden});
  const Variable keys = reshape(memory, {batch, 1, memory.size(1), memory.size(2)});
  return look.attend(query, look.memory(keys, keys), state,
                     {.weights = true, .noise = call.noise, .watch = call.watch, .site = site});
}

}  // namespace heed::models
