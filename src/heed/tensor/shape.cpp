// SPDX-License-Identifier: Apache-2.0
// Shape arithmetic and its error messages.
#include "heed/tensor/shape.h"

#include "heed/base/error.h"

namespace heed {

Shape::Shape(std::span<const std::int64_t> sizes) {
  if (sizes.size() > kMaxRank) {
    throw UsageError("shape: {} axes asked for; a tensor has at most {}", sizes.size(), kMaxRank);
  }
  std::int64_t product = 1;
  for (const std::int64_t size : sizes) {
    if (size < 0) throw UsageError("shape: size {} of axis {} is negative", size, rank_);
    if (size > 0 && product > (std::int64_t{1} << 59) / size) {
      throw UsageError("shape: the product of the first {} sizes is beyond 2^59", rank_ + 1);
    }
    product *= std::max<std::int64_t>(size, 1);
    sizes_[rank_++] = size;
  }
}

std::int64_t Shape::size() const {
  std::int64_t product = 1;
  for (int axis = 0; axis < rank_; ++axis) product *= sizes_[axis];
  return product;
}

void Shape::refuse_axis(int axis, const char* op) const {
  throw UsageError("{}: axis {} of {}; it has axes {} to {}", op, axis, text(), -rank_, rank_ - 1);
}

Shape Shape::with(int axis, std::int64_t size) const {
  Shape changed = *this;
  changed.sizes_[axis] = size;
  return changed;
}

Shape Shape::without(int axis) const {
  Shape less = *this;
  std::copy(sizes_.begin() + axis + 1, sizes_.begin() + rank_, less.sizes_.begin() + axis);
  less.sizes_[--less.rank_] = 0;
  return less;
}

Shape Shape::inserted(int axis, std::int64_t size) const {
  if (rank_ == kMaxRank) {
    throw UsageError("shape: {} has {} axes already, the most there can be", text(), kMaxRank);
  }
  if (size < 0) throw UsageError("shape: size {} of axis {} is negative", size, axis);
  Shape more = *this;
  std::copy_backward(sizes_.begin() + axis, sizes_.begin() + rank_,
                     more.sizes_.begin() + rank_ + 1);
  more.sizes_[axis] = size;
  ++more.rank_;
  return more;
}

std::string Shape::text() const {
  return fmt::format("[{}]", fmt::join(begin(), end(), ","));
}

Shape broadcast(const Shape& a, const Shape& b, const char* op) {
  if (a == b) return a;
  const Shape& longer = a.rank() >= b.rank() ? a : b;
  const Shape& shorter = a.rank() >= b.rank() ? b : a;
  Shape result = longer;
  const int shift = longer.rank() - shorter.rank();
  for (int axis = 0; axis < shorter.rank(); ++axis) {
    const std::int64_t mine = longer[axis + shift];
    const std::int64_t other = shorter[axis];
    if (mine == other || other == 1) continue;
    if (mine != 1) {
      throw UsageError(
          "{}: shapes {} and {} do not broadcast: axis {} from the end is {} and {}; they must be "
          "equal, or one of them 1",
          op, a.text(), b.text(), longer.rank() - axis - shift, a == longer ? mine : other,
          a == longer ? other : mine);
    }
    result = result.with(axis + shift, other);
  }
  return result;
}

}  // namespace heed
