// SPDX-License-Identifier: Apache-2.0
// A mechanism described from its written form: its parts with their formulas, what they learn, and
// what a key costs.
#pragma once  // public header

#include <string_view>

#include "heed/attention/mechanism.h"
#include "heed/insight/describe/description.h"

#pragma GCC visibility push(default)  // exported

namespace heed::insight {

// UsageError, pointing into the text, for what is not a mechanism.
Description describe_mechanism(std::string_view text, const attention::MechanismShape& shape);

}  // namespace heed::insight

#pragma GCC visibility pop
