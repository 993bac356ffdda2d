// SPDX-License-Identifier: Apache-2.0
// Reductions see a tensor as [outer, axis, inner]: rows where inner is 1, else columns of each
// outer slab.
#include "heed/tensor/reduce.h"

#include "heed/base/error.h"
#include "heed/kernels/reductions.h"

namespace heed {
namespace {

struct Split {
  std::size_t outer = 1;
  std::size_t length = 1;
  std::size_t inner = 1;
};

Split split_at(const Shape& shape, int axis) {
  Split split;
  for (int a = 0; a < axis; ++a) split.outer *= static_cast<std::size_t>(shape[a]);
  split.length = static_cast<std::size_t>(shape[axis]);
  for (int a = axis + 1; a < shape.rank(); ++a) split.inner *= static_cast<std::size_t>(shape[a]);
  return split;
}

}  // namespace

Tensor sum(const Tensor& x) {
  const Tensor straight = x.required("sum").packed();
  return Tensor::scalar(kernels::sum(straight.data(), static_cast<std::size_t>(x.size())));
}

Tensor sum(const Tensor& x, int axis) {
  axis = x.shape().axis(axis, "sum");
  const Tensor straight = x.packed();
  const Split split = split_at(x.shape(), axis);
  Tensor y(x.shape().without(axis));
  Real* out = y.mutable_data();
  if (split.inner == 1) {
    kernels::sum_rows(straight.data(), split.outer, split.length, out);
  } else {
    for (std::size_t o = 0; o < split.outer; ++o) {
      kernels::sum_columns(straight.data() + o * split.length * split.inner, split.length,
                           split.inner, out + o * split.inner);
    }
  }
  return y;
}

Maximum maximum(const Tensor& x, int axis) {
  axis = x.shape().axis(axis, "maximum");
  if (x.shape()[axis] == 0) {
    throw UsageError("maximum: axis {} of shape {} is empty; it needs at least one element", axis,
                     x.shape().text());
  }
  const Tensor straight = x.packed();
  const Split split = split_at(x.shape(), axis);
  const Shape shape = x.shape().without(axis);
  Maximum result{Tensor(shape), Ids(shape)};
  Real* out = result.values.mutable_data();
  std::int32_t* index = result.indices.mutable_data();
  if (split.inner == 1) {
    kernels::maximum_rows(straight.data(), split.outer, split.length, out, index);
  } else {
    for (std::size_t o = 0; o < split.outer; ++o) {
      kernels::maximum_columns(straight.data() + o * split.length * split.inner, split.length,
                               split.inner, out + o * split.inner, index + o * split.inner);
    }
  }
  return result;
}

Tensor cumulative_sum(const Tensor& x, int axis, Running direction) {
  axis = x.shape().axis(axis, "cumulative_sum");
  const int last = x.rank() - 1;
  const Tensor rows = x.transpose(axis, last).packed();
  Tensor y(rows.shape());
  const std::size_t columns = static_cast<std::size_t>(rows.shape()[last]);
  if (columns > 0) {
    kernels::cumulative_sum(
        rows.data(), static_cast<std::size_t>(rows.size()) / columns, columns, y.mutable_data(),
        direction == Running::forward ? kernels::Direction::forward : kernels::Direction::reverse);
  }
  return y.transpose(axis, last);
}

}  // namespace heed
