// SPDX-License-Identifier: Apache-2.0
// The attentions of a memory network, as observers are told of them.
#pragma once

#include "heed/attention/site.h"

namespace heed::models {

// `hop` says which one it is; each has one query.
inline constexpr attention::Site kHopSite{
    .role = attention::Role::memory, .set = "hops", .queries = "hops", .keys = "story"};

}  // namespace heed::models
