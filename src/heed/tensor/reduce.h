// SPDX-License-Identifier: Apache-2.0
// Reductions of tensors along one axis or over all elements, and running sums.
#pragma once  // public header

#include "heed/tensor/tensor.h"

#pragma GCC visibility push(default)  // exported

namespace heed {

Tensor sum(const Tensor& x);            // all elements -> scalar
Tensor sum(const Tensor& x, int axis);  // the axis is removed

struct Maximum {
  Tensor values;
  Ids indices;  // where along the axis; the lowest on ties
};
// The axis is removed; it must not be empty.
Maximum maximum(const Tensor& x, int axis);

enum class Running { forward, reverse };
// y_i = x_0 + ... + x_i along the axis (reverse: x_i + ... + x_last).
Tensor cumulative_sum(const Tensor& x, int axis, Running direction = Running::forward);

}  // namespace heed

#pragma GCC visibility pop
