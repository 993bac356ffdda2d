// SPDX-License-Identifier: Apache-2.0
// Two patterns combined: `a & b` and `(a | b)`.
#pragma once

#include <memory>

#include "heed/attention/pattern.h"

namespace heed::attention {

// Keys both allow; keys either allows. Written `a & b` and `(a | b)`: outside parentheses | is
// between the sections of a mechanism.
std::unique_ptr<Pattern> both(std::unique_ptr<Pattern> a, std::unique_ptr<Pattern> b);
std::unique_ptr<Pattern> either(std::unique_ptr<Pattern> a, std::unique_ptr<Pattern> b);

}  // namespace heed::attention
