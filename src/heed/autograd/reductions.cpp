// SPDX-License-Identifier: Apache-2.0
// Sums, means, maxima and running sums; the gradient of a sum is a stretched view, not a copy.
#include "heed/autograd/ops.h"
#include "heed/base/error.h"

namespace heed {

Variable sum(const Variable& x) {
  return record("sum", sum(x.value()), {x},
                [shape = x.shape()](const Tensor& dy) -> Gradients { return {dy.expand(shape)}; });
}

Variable sum(const Variable& x, int axis) {
  axis = x.shape().axis(axis, "sum");
  return record("sum_axis", sum(x.value(), axis), {x},
                [axis, shape = x.shape()](const Tensor& dy) -> Gradients {
                  return {dy.unsqueeze(axis).expand(shape)};
                });
}

Variable mean(const Variable& x) {
  if (x.value().required("mean").size() == 0)
    throw UsageError("mean: shape {} has no elements", x.shape().text());
  return sum(x) * (Real{1} / static_cast<Real>(x.value().size()));
}

Variable mean(const Variable& x, int axis) {
  if (x.size(axis) == 0) throw UsageError("mean: axis {} of {} is empty", axis, x.shape().text());
  return sum(x, axis) * (Real{1} / static_cast<Real>(x.size(axis)));
}

Variable maximum(const Variable& x, int axis) {
  axis = x.shape().axis(axis, "maximum");
  const Maximum largest = maximum(x.value(), axis);
  return record("maximum_axis", largest.values, {x},
                [axis, shape = x.shape(), at = largest.indices](const Tensor& dy) -> Gradients {
                  return {scatter_add(dy.unsqueeze(axis), axis, at.unsqueeze(axis), shape)};
                });
}

Variable cumulative_sum(const Variable& x, int axis, Running direction) {
  return record(
      "cumulative_sum", cumulative_sum(x.value(), axis, direction), {x},
      [axis, direction](const Tensor& dy) -> Gradients {
        return {cumulative_sum(
            dy, axis, direction == Running::forward ? Running::reverse : Running::forward)};
      });
}

}  // namespace heed
