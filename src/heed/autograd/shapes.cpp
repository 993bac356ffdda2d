// SPDX-License-Identifier: Apache-2.0
// Ops that only move elements: their gradients move them back.
#include "heed/autograd/kept_ids.h"
#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/kernels/embedding.h"
#include "heed/tensor/arithmetic.h"

namespace heed {

Variable reshape(const Variable& x, const Shape& shape) {
  return record("reshape", x.value().reshape(shape), {x},
                [from = x.shape()](const Tensor& dy) -> Gradients { return {dy.reshape(from)}; });
}

Variable reshape(const Variable& x, std::initializer_list<std::int64_t> sizes) {
  return record("reshape", x.value().reshape(sizes), {x},
                [from = x.shape()](const Tensor& dy) -> Gradients { return {dy.reshape(from)}; });
}

Variable transpose(const Variable& x, int first, int second) {
  return record(
      "transpose", x.value().transpose(first, second), {x},
      [first, second](const Tensor& dy) -> Gradients { return {dy.transpose(first, second)}; });
}

Variable permute(const Variable& x, std::initializer_list<int> axes) {
  // Axis i of the result is axis axes[i] of x; assigning dy to the permuted view of dx undoes it.
  std::array<int, kMaxRank> order{};
  const Tensor y = x.value().permute(axes);
  std::copy(axes.begin(), axes.end(), order.begin());
  return record("permute", y, {x}, [order, shape = x.shape()](const Tensor& dy) -> Gradients {
    Tensor dx(shape);
    dx.permute(std::span(order.data(), static_cast<std::size_t>(shape.rank()))).assign(dy);
    return {dx};
  });
}

Variable slice(const Variable& x, int axis, std::int64_t begin, std::int64_t end,
               std::int64_t step) {
  return record("slice", x.value().slice(axis, begin, end, step), {x},
                [axis, begin, end, step, shape = x.shape()](const Tensor& dy) -> Gradients {
                  Tensor dx = Tensor::zeros(shape);
                  dx.slice(axis, begin, end, step).assign(dy);
                  return {dx};
                });
}

Variable select(const Variable& x, int axis, std::int64_t index) {
  axis = x.shape().axis(axis, "select");
  return reshape(slice(x, axis, index, index + 1), x.shape().without(axis));
}

Variable expand(const Variable& x, const Shape& shape) {
  return record("expand", x.value().expand(shape), {x},
                [from = x.shape()](const Tensor& dy) -> Gradients { return {sum_to(dy, from)}; });
}

Variable concat(std::span<const Variable> parts, int axis) {
  PooledVector<Tensor> values;
  values.reserve(parts.size());
  for (const Variable& part : parts) values.push_back(part.value());
  const Tensor y = concat(values, axis);
  axis = y.shape().axis(axis, "concat");
  InlineVector<std::int64_t, 8> sizes;
  for (const Tensor& value : values) sizes.emplace_back(value.shape()[axis]);
  return record("concat", y, parts, [axis, sizes = std::move(sizes)](const Tensor& dy) {
    Gradients gradients;
    std::int64_t begin = 0;
    for (const std::int64_t size : sizes) {
      gradients.add(dy.slice(axis, begin, begin + size));
      begin += size;
    }
    return gradients;
  });
}

Variable concat(std::initializer_list<Variable> parts, int axis) {
  return concat(std::span(parts.begin(), parts.size()), axis);
}

Variable stack(std::span<const Variable> parts, int axis) {
  Variables thick;
  thick.reserve(parts.size());
  for (const Variable& part : parts) {
    const int at = part.shape().inserted(0, 1).axis(axis, "stack");
    thick.push_back(reshape(part, part.shape().inserted(at, 1)));
  }
  return concat(thick, axis);
}

Variables split(const Variable& x, int axis, std::span<const std::int64_t> sizes) {
  axis = x.shape().axis(axis, "split");
  PooledVector<Tensor> pieces;
  pieces.reserve(sizes.size());
  std::int64_t begin = 0;
  for (const std::int64_t size : sizes) {
    if (size < 0 || begin + size > x.shape()[axis]) break;
    pieces.push_back(x.value().slice(axis, begin, begin + size));
    begin += size;
  }
  if (begin != x.shape()[axis] || pieces.size() != sizes.size()) {
    throw UsageError("split: sizes [{}] for axis {} of {}; they must add up to {}",
                     fmt::join(sizes, ","), axis, x.shape().text(), x.shape()[axis]);
  }
  InlineVector<std::int64_t, 8> kept;
  for (const std::int64_t size : sizes) kept.emplace_back(size);
  return record_many(
      "split", std::move(pieces), {x},
      [axis, shape = x.shape(),
       sizes = std::move(kept)](const std::span<const Tensor>& dys) -> Gradients {
        Tensor dx(shape);
        std::int64_t begin = 0;
        for (std::size_t i = 0; i < sizes.size(); ++i) {
          Tensor piece = dx.slice(axis, begin, begin + sizes[i]);
          piece.assign(dys[i].defined() ? dys[i] : Tensor::scalar(0).expand(piece.shape()));
          begin += sizes[i];
        }
        return {dx};
      });
}

Variables split(const Variable& x, int axis, std::initializer_list<std::int64_t> sizes) {
  return split(x, axis, std::span(sizes.begin(), sizes.size()));
}

Variables unstack(const Variable& x, int axis) {
  axis = x.shape().axis(axis, "unstack");
  const PooledVector<std::int64_t> ones(static_cast<std::size_t>(x.shape()[axis]), 1);
  Variables slices = split(x, axis, ones);
  for (Variable& piece : slices) piece = reshape(piece, piece.shape().without(axis));
  return slices;
}

Variable pad(const Variable& x, int axis, Padding padding, Real value) {
  const std::int64_t length = x.size(axis);
  return record("pad", pad(x.value(), axis, padding, value), {x},
                [axis, padding, length](const Tensor& dy) -> Gradients {
                  return {dy.slice(axis, padding.before, padding.before + length)};
                });
}

Variable gather(const Variable& x, int axis, const Ids& ids) {
  return record("gather", gather(x.value(), axis, ids), {x},
                [axis, ids = kept_ids(ids), shape = x.shape()](const Tensor& dy) -> Gradients {
                  return {scatter_add(dy, axis, ids, shape)};
                });
}

Variable embedding(const Variable& table, const Ids& ids, std::int32_t ignored) {
  if (table.rank() != 2) {
    throw UsageError("embedding: table {}; it takes [words, width]", table.shape().text());
  }
  check_ids(ids, table.size(0), "embedding", ignored);
  const Ids rows = kept_ids(ids);
  const kernels::RowIds which{rows.data(), static_cast<std::size_t>(rows.size()),
                              static_cast<std::size_t>(table.size(0)),
                              static_cast<std::size_t>(table.size(1)), ignored};
  Tensor y(ids.shape().then(table.size(1)));
  kernels::gather_rows(table.value().packed().data(), which, y.mutable_data());
  // Captures rows, which keeps the pointer in `which` alive.
  return record("embedding", y, {table},
                [rows, which, shape = table.shape()](const Tensor& dy) -> Gradients {
                  Tensor dtable = Tensor::zeros(shape);
                  kernels::scatter_add_rows(dy.packed().data(), which, dtable.mutable_data());
                  return {dtable};
                });
}

}  // namespace heed
