// SPDX-License-Identifier: Apache-2.0
// From a mechanism to one call of it: the heads of a group, and its pattern together with the data
// it looks at.
#pragma once

#include <memory>

#include "heed/attention/memory.h"
#include "heed/attention/pattern.h"

namespace heed::attention {

// Heads [first, first + count) of x [B,H,...].
Variable heads_of(const Variable& x, std::int64_t first, std::int64_t count);

// What is bound owns its data and lives until backward. `call` gives the sizes and the first query;
// centres [B,H,Q] or not defined.
std::shared_ptr<const BoundPattern> bind(const Pattern& pattern, const MemoryData& data,
                                         PatternCall call, const Variable& centres);

}  // namespace heed::attention
