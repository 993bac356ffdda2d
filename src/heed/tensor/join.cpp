// SPDX-License-Identifier: Apache-2.0
// Joins are assignments into slices; gather and scatter walk [outer, axis, inner] with plain loops.
#include "heed/tensor/join.h"

#include "heed/base/error.h"

namespace heed {
namespace {

struct GatherSizes {
  std::int64_t outer = 1;
  std::int64_t picked = 1;  // along the axis of ids
  std::int64_t length = 1;  // along the axis of x
  std::int64_t inner = 1;
};

GatherSizes gather_sizes(const Shape& x, int axis, const Shape& ids) {
  if (ids.rank() != x.rank() || ids.with(axis, x[axis]) != x) {
    throw UsageError("gather: ids {} for {} along axis {}; they must agree on every other axis",
                     ids.text(), x.text(), axis);
  }
  GatherSizes sizes;
  for (int a = 0; a < axis; ++a) sizes.outer *= x[a];
  sizes.picked = ids[axis];
  sizes.length = x[axis];
  for (int a = axis + 1; a < x.rank(); ++a) sizes.inner *= x[a];
  return sizes;
}

// Calls body(index into x, index into ids) for every id.
template <typename Body>
void for_each_pick(const GatherSizes& sizes, const std::int32_t* ids, Body&& body) {
  std::int64_t at = 0;
  for (std::int64_t o = 0; o < sizes.outer; ++o) {
    for (std::int64_t p = 0; p < sizes.picked; ++p) {
      for (std::int64_t i = 0; i < sizes.inner; ++i, ++at) {
        body((o * sizes.length + ids[at]) * sizes.inner + i, at);
      }
    }
  }
}

}  // namespace

Tensor concat(std::span<const Tensor> parts, int axis) {
  if (parts.empty()) throw UsageError("concat: no tensors given; it takes at least one");
  const Shape& first = parts.front().shape();
  axis = first.axis(axis, "concat");
  std::int64_t length = 0;
  for (const Tensor& part : parts) {
    if (part.rank() != first.rank() || part.shape().with(axis, first[axis]) != first) {
      throw UsageError("concat: shapes {} and {} must agree on every axis but {}", first.text(),
                       part.shape().text(), axis);
    }
    length += part.shape()[axis];
  }
  Tensor y(first.with(axis, length));
  std::int64_t begin = 0;
  for (const Tensor& part : parts) {
    const std::int64_t end = begin + part.shape()[axis];
    y.slice(axis, begin, end).assign(part);
    begin = end;
  }
  return y;
}

Tensor pad(const Tensor& x, int axis, Padding padding, Real value) {
  axis = x.shape().axis(axis, "pad");
  if (padding.before < 0 || padding.after < 0) {
    throw UsageError("pad: {} before and {} after; neither may be negative", padding.before,
                     padding.after);
  }
  const std::int64_t length = x.shape()[axis];
  Tensor y = Tensor::full(x.shape().with(axis, padding.before + length + padding.after), value);
  y.slice(axis, padding.before, padding.before + length).assign(x);
  return y;
}

Tensor gather(const Tensor& x, int axis, const Ids& ids) {
  axis = x.shape().axis(axis, "gather");
  const GatherSizes sizes = gather_sizes(x.shape(), axis, ids.shape());
  check_ids(ids, sizes.length, "gather");
  const Tensor from = x.packed();
  const Ids picks = ids.packed();
  Tensor y(ids.shape());
  Real* out = y.mutable_data();
  for_each_pick(sizes, picks.data(),
                [&](std::int64_t source, std::int64_t at) { out[at] = from.data()[source]; });
  return y;
}

Tensor scatter_add(const Tensor& y, int axis, const Ids& ids, const Shape& shape) {
  axis = shape.axis(axis, "scatter_add");
  const GatherSizes sizes = gather_sizes(shape, axis, ids.shape());
  check_ids(ids, sizes.length, "scatter_add");
  const Tensor from = y.packed();
  const Ids picks = ids.packed();
  Tensor x = Tensor::zeros(shape);
  Real* out = x.mutable_data();
  for_each_pick(sizes, picks.data(),
                [&](std::int64_t target, std::int64_t at) { out[target] += from.data()[at]; });
  return x;
}

void check_ids(const Ids& ids, std::int64_t limit, const char* op,
               std::optional<std::int32_t> ignored) {
  const Ids straight = ids.required(op).packed();
  for (std::int64_t i = 0; i < straight.size(); ++i) {
    const std::int32_t id = straight.data()[i];
    if ((id < 0 || id >= limit) && id != ignored) {
      throw UsageError("{}: id {} at position {}; ids go from 0 to {}", op, id, i, limit - 1);
    }
  }
}

}  // namespace heed
