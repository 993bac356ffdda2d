// SPDX-License-Identifier: Apache-2.0
// The heads of a neural Turing machine, as observers are told of them.
#pragma once

#include "heed/attention/site.h"

namespace heed::models {

// Those that read come first.
inline constexpr attention::Site kHeadsSite{.role = attention::Role::memory,
                                            .set = "heads",
                                            .queries = "steps",
                                            .keys = "slots",
                                            .stepwise = true};

// What the heads of a DNC find by content, before free slots and the order of writing come in.
inline constexpr attention::Site kWrittenContentSite{.role = attention::Role::memory,
                                                     .set = "write content",
                                                     .queries = "steps",
                                                     .keys = "slots",
                                                     .stepwise = true};
inline constexpr attention::Site kReadContentSite{.role = attention::Role::memory,
                                                  .set = "read content",
                                                  .queries = "steps",
                                                  .keys = "slots",
                                                  .stepwise = true};

}  // namespace heed::models
