// SPDX-License-Identifier: Apache-2.0
// Binding a pattern to one call together with the data it looks at.
#pragma once

#include <memory>

#include "heed/attention/memory.h"
#include "heed/attention/pattern.h"
#include "heed/attention/query_data.h"

namespace heed::attention {

// What is bound owns its data and lives until backward. `call` gives the sizes and the first query;
// centres [B,H,Q] or not defined.
std::shared_ptr<const BoundPattern> bind(const Pattern& pattern, const KeyData& keys,
                                         const QueryData& given, PatternCall call,
                                         const Variable& centres);

// Keys that `pattern` allows, and `own` too where it is not null.
std::shared_ptr<const BoundPattern> bind_both(const Pattern& pattern, const Pattern* own,
                                              const KeyData& keys, const QueryData& given,
                                              const PatternCall& call, const Variable& centres);

}  // namespace heed::attention
