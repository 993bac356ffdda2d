// SPDX-License-Identifier: Apache-2.0
// Upper bounds of the weights, as the constrained normalisers take them: whether they can be meant.
#pragma once

#include "heed/attention/normaliser.h"
#include "heed/tensor/tensor.h"

namespace heed::attention {

// UsageError naming the part unless it takes bounds, they have the shape of the scores [...,K], and
// in every row they are from 0 and add up to 1 or more. A mask may still leave a row keys whose
// bounds add up to less: its weights are these bounds.
void check_bounds(const Normaliser& normaliser, const Tensor& bounds, const Shape& scores);

}  // namespace heed::attention
