// SPDX-License-Identifier: Apache-2.0
// Walking several strided tensors of one shape together, as few large two-dimensional planes as
// possible.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "heed/tensor/shape.h"

namespace heed {

using StrideArray = std::array<std::int64_t, kMaxRank>;

// One plane: rows x columns, and for each operand its row and column stride.
struct Plane {
  std::int64_t rows;
  std::int64_t columns;
  std::array<std::int64_t, 3> row;
  std::array<std::int64_t, 3> column;
};

template <int kOperands>
using Offsets = std::array<std::int64_t, kOperands>;

template <typename Tensor>
StrideArray strides_of(const Tensor& tensor) {
  StrideArray strides{};
  for (int axis = 0; axis < tensor.rank(); ++axis) strides[axis] = tensor.stride(axis);
  return strides;
}

// Strides of `tensor` seen at `shape`, to which it broadcasts.
template <typename Tensor>
StrideArray strides_at(const Tensor& tensor, const Shape& shape) {
  StrideArray strides{};
  const int shift = shape.rank() - tensor.rank();
  for (int axis = 0; axis < tensor.rank(); ++axis) {
    if (tensor.shape()[axis] == shape[axis + shift]) strides[axis + shift] = tensor.stride(axis);
  }
  return strides;
}

// Merges neighbouring axes that every operand crosses with one stride, then calls
// body(plane, offsets of the operands) for each plane of the two innermost axes left.
template <int kOperands, typename Body>
void for_each_plane(const Shape& shape, const std::array<StrideArray, kOperands>& strides,
                    Body&& body) {
  std::array<std::int64_t, kMaxRank + 2> size{};
  std::array<std::array<std::int64_t, kMaxRank + 2>, kOperands> step{};
  int rank = 0;  // of the merged axes, innermost first
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    if (shape[axis] == 0) return;
    if (shape[axis] == 1) continue;
    bool merges = rank > 0;
    for (int o = 0; o < kOperands && merges; ++o) {
      merges = strides[o][axis] == step[o][rank - 1] * size[rank - 1];
    }
    if (merges) {
      size[rank - 1] *= shape[axis];
      continue;
    }
    size[rank] = shape[axis];
    for (int o = 0; o < kOperands; ++o) step[o][rank] = strides[o][axis];
    ++rank;
  }
  for (int axis = rank; axis < 2; ++axis) size[axis] = 1;

  Plane plane{size[1], size[0], {}, {}};
  for (int o = 0; o < kOperands; ++o) {
    plane.row[o] = step[o][1];
    plane.column[o] = step[o][0];
  }
  Offsets<kOperands> offsets{};
  std::array<std::int64_t, kMaxRank + 2> index{};
  while (true) {
    body(static_cast<const Plane&>(plane), static_cast<const Offsets<kOperands>&>(offsets));
    int axis = 2;
    for (; axis < rank; ++axis) {
      for (int o = 0; o < kOperands; ++o) offsets[o] += step[o][axis];
      if (++index[axis] < size[axis]) break;
      for (int o = 0; o < kOperands; ++o) offsets[o] -= step[o][axis] * size[axis];
      index[axis] = 0;
    }
    if (axis >= rank) return;
  }
}

}  // namespace heed
