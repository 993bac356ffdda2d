// SPDX-License-Identifier: Apache-2.0
// How many recorded ops must wait for each other: what no number of processors can shorten.
#pragma once

#include <cstdint>
#include <string_view>

#include "heed/autograd/variable.h"

#pragma GCC visibility push(default)  // exported

namespace heed {

// The most ops on any one way through the graph that computed a variable. With a name, only ops of
// that name count. 0 for a leaf or a constant.
std::int64_t longest_chain(const Variable& variable, std::string_view op = {});

}  // namespace heed

#pragma GCC visibility pop
