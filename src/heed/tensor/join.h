// SPDX-License-Identifier: Apache-2.0
// Joining tensors along an axis, padding one, and picking elements by index.
#pragma once  // public header

#include <optional>
#include <span>

#include "heed/tensor/tensor.h"

#pragma GCC visibility push(default)  // exported

namespace heed {

// Shapes equal except along the axis.
Tensor concat(std::span<const Tensor> parts, int axis);

struct Padding {
  std::int64_t before = 0;
  std::int64_t after = 0;
};
// x with `value` added before and after along one axis.
Tensor pad(const Tensor& x, int axis, Padding padding, Real value = 0);

// y[..., i, ...] = x[..., ids[..., i, ...], ...]: ids has x's rank, and its shape except along the
// axis. An id outside the axis is a UsageError.
Tensor gather(const Tensor& x, int axis, const Ids& ids);

// The gradient of gather: a tensor of `shape` where y's elements are added at their ids.
Tensor scatter_add(const Tensor& y, int axis, const Ids& ids, const Shape& shape);

// Throws UsageError naming op, the first offending id and its position unless all ids are in [0,
// limit) or equal to `ignored`.
void check_ids(const Ids& ids, std::int64_t limit, const char* op,
               std::optional<std::int32_t> ignored = {});

}  // namespace heed

#pragma GCC visibility pop
