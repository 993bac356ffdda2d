// SPDX-License-Identifier: Apache-2.0
// Heads of a Turing machine as attention over slots.
#pragma once

#include <cstdint>
#include <memory>

#include "heed/attention/attention.h"
#include "heed/models/call.h"
#include "heed/models/turing_machine.h"

namespace heed::models {

// As many heads of the options' attention over slots. UsageError where it shows no weights.
std::shared_ptr<attention::Attention> looking(const TuringMachineOptions& options,
                                              std::int64_t heads, Random& random);

// What every head of `look` finds in the memory [B,N,M] when the controller says h
// [B,C].
attention::Attended looked_at(const attention::Attention& look, const Variable& h,
                              const Variable& memory, const attention::AttentionState& state,
                              const Call& call, const attention::Site& site);

}  // namespace heed::models
