// SPDX-License-Identifier: Apache-2.0
// Shape: the sizes of a tensor's axes, outermost first, held inline (no allocation).
#pragma once  // public header

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>

#pragma GCC visibility push(default)  // exported

namespace heed {

// [B,H,Q,K,D] and one to spare.
inline constexpr int kMaxRank = 6;

class Shape {
 public:
  Shape() = default;  // rank 0: a scalar, size 1
  Shape(std::initializer_list<std::int64_t> sizes)
      : Shape(std::span(sizes.begin(), sizes.size())) {}
  // Throws UsageError for a negative size, a rank above kMaxRank or a product beyond 2^59,
  // so that bytes can be counted as well.
  explicit Shape(std::span<const std::int64_t> sizes);

  int rank() const { return rank_; }
  std::int64_t size() const;  // the product of all sizes
  std::int64_t operator[](int axis) const { return sizes_[axis]; }
  const std::int64_t* begin() const { return sizes_.data(); }
  const std::int64_t* end() const { return sizes_.data() + rank_; }

  // axis, or axis + rank when negative (-1 is the last). Throws UsageError naming op when out of
  // range.
  int axis(int axis, const char* op) const {
    if (axis < -rank_ || axis >= rank_) [[unlikely]]
      refuse_axis(axis, op);
    return axis < 0 ? axis + rank_ : axis;
  }
  Shape with(int axis, std::int64_t size) const;      // the same shape with one size changed
  Shape without(int axis) const;                      // one axis less
  Shape inserted(int axis, std::int64_t size) const;  // one axis more, before `axis`
  Shape then(std::int64_t size) const { return inserted(rank_, size); }

  std::string text() const;  // "[2,3,4]"

  friend bool operator==(const Shape& a, const Shape& b) {
    return a.rank_ == b.rank_ && std::equal(a.begin(), a.end(), b.begin());
  }

 private:
  [[noreturn]] void refuse_axis(int axis, const char* op) const;

  std::array<std::int64_t, kMaxRank> sizes_{};
  int rank_ = 0;
};

// The shape both broadcast to (sizes aligned at the last axis, 1 stretches), or a UsageError that
// names op, both shapes and what would fit.
Shape broadcast(const Shape& a, const Shape& b, const char* op);

}  // namespace heed

#pragma GCC visibility pop
