// SPDX-License-Identifier: Apache-2.0
// Rows and their lengths, as cosine and distance need them. In backward a row without a gradient
// gets none, even when it holds NaN.
#pragma once  // public header

#include "heed/autograd/variable.h"

#pragma GCC visibility push(default)  // exported

namespace heed::attention {

// x / sqrt(|x|^2 + epsilon) along the last axis: a zero row stays zero, and its gradient is finite,
// 1 / sqrt(epsilon) at the most.
Variable unit_rows(const Variable& x, double epsilon = 1e-12);

// Two columns more along the last axis: -|x|^2/2 and 1. `last`: the other way round.
enum class NormPlace { first, last };
Variable with_norm(const Variable& x, NormPlace place);

}  // namespace heed::attention

#pragma GCC visibility pop
