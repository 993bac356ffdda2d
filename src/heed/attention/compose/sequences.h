// SPDX-License-Identifier: Apache-2.0
// Some sequences of a batch, with all that belongs to them: views, nothing is copied.
#pragma once

#include "heed/attention/memory.h"
#include "heed/attention/pattern.h"
#include "heed/attention/query_data.h"
#include "heed/attention/state.h"

namespace heed::attention {

Memory sequences_of(const Memory& memory, Range range);
AttentionState sequences_of(const AttentionState& state, Range range);
// first_query is left to the caller. Masks and biases may be one for the whole batch.
QueryData sequences_of(const QueryData& given, Range range);

// States of parts of a batch, one after the other, as the state of the whole.
AttentionState joined_states(std::span<const AttentionState> parts);

}  // namespace heed::attention
