// SPDX-License-Identifier: Apache-2.0
// Tensors and their views; only packing moves elements.
#include "heed/tensor/tensor.h"

#include <algorithm>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "heed/base/error.h"
#include "heed/kernels/copy.h"
#include "heed/kernels/elementwise.h"
#include "heed/tensor/strided.h"

namespace heed {
namespace {

std::array<std::int64_t, kMaxRank> contiguous_strides(const Shape& shape) {
  std::array<std::int64_t, kMaxRank> strides{};
  std::int64_t step = 1;
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    strides[axis] = step;
    step *= shape[axis];
  }
  return strides;
}

// UsageError unless `strides` reach distinct places, all within what a pointer can: over memory
// that is only read, 0 may repeat elements.
void check_foreign_strides(const Shape& shape, std::span<const std::int64_t> strides, bool writable,
                           std::size_t element) {
  if (static_cast<int>(strides.size()) != shape.rank()) {
    throw UsageError("over: {} strides for shape {}; it takes one per axis", strides.size(),
                     shape.text());
  }
  std::vector<std::pair<std::int64_t, std::int64_t>> steps;  // stride, size
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (strides[axis] < 0) {
      throw UsageError("over: stride {} of axis {} of shape {}; it takes 0 or more", strides[axis],
                       axis, shape.text());
    }
    if (shape[axis] == 1 || (strides[axis] == 0 && !writable)) continue;
    steps.emplace_back(strides[axis], shape[axis]);
  }
  std::ranges::sort(steps);
  std::int64_t reach = 1;  // elements from the first place to the last, of the axes so far
  for (const auto& [stride, size] : steps) {
    if (stride < reach) {
      throw UsageError("over: strides [{}] give two elements of shape {} one place; {}",
                       fmt::join(strides, ","), shape.text(),
                       stride == 0 ? "0 is for memory that is only read"
                                   : "each axis takes the reach of the smaller ones or more");
    }
    std::int64_t more = 0;
    if (__builtin_mul_overflow(stride, size - 1, &more) ||
        __builtin_add_overflow(reach, more, &reach) ||
        reach > std::numeric_limits<std::int64_t>::max() / static_cast<std::int64_t>(element)) {
      throw UsageError("over: strides [{}] of shape {} reach further than any memory",
                       fmt::join(strides, ","), shape.text());
    }
  }
}

template <typename T>
void copy_plane(const Plane& plane, const T* from, T* to) {
  const auto [rows, columns, row, column] = plane;
  if constexpr (std::is_same_v<T, Real>) {
    kernels::copy_strided<Real>(rows, columns, from, {row[0], column[0]}, to, {row[1], column[1]});
  } else {
    for (std::int64_t r = 0; r < rows; ++r) {
      for (std::int64_t c = 0; c < columns; ++c) {
        to[r * row[1] + c * column[1]] = from[r * row[0] + c * column[0]];
      }
    }
  }
}

template <typename T>
void copy_elements(const TensorOf<T>& from, TensorOf<T>& to) {
  T* target = to.mutable_data();
  for_each_plane<2>(from.shape(), {strides_of(from), strides_of(to)},
                    [&](const Plane& plane, const Offsets<2>& at) {
                      copy_plane(plane, from.data() + at[0], target + at[1]);
                    });
}

}  // namespace

void Storage::refuse_write() {
  throw UsageError(
      "mutable_data: this tensor lies over foreign memory that may only be read; clone() makes one "
      "that may be written");
}

template <typename T>
TensorOf<T>::TensorOf(const Shape& shape)
    : storage_(Storage::of_bytes(static_cast<std::size_t>(shape.size()) * sizeof(T))),
      data_(static_cast<T*>(storage_->elements())),
      size_(shape.size()),
      shape_(shape),
      strides_(contiguous_strides(shape)) {}

template <typename T>
TensorOf<T> TensorOf<T>::full(const Shape& shape, T value) {
  TensorOf tensor(shape);
  T* data = tensor.mutable_data();
  if constexpr (std::is_same_v<T, Real>) {
    kernels::fill(data, static_cast<std::size_t>(tensor.size()), value);
  } else {
    std::fill(data, data + tensor.size(), value);
  }
  return tensor;
}

template <typename T>
TensorOf<T> TensorOf<T>::of(const Shape& shape, std::span<const T> values) {
  if (static_cast<std::int64_t>(values.size()) != shape.size()) {
    throw UsageError("tensor: {} values for shape {}, which takes {}", values.size(), shape.text(),
                     shape.size());
  }
  TensorOf tensor(shape);
  std::copy(values.begin(), values.end(), tensor.mutable_data());
  return tensor;
}

template <typename T>
TensorOf<T> TensorOf<T>::over_foreign(T* data, const Shape& shape,
                                      const std::vector<std::int64_t>& strides,
                                      const Ref<Storage>& storage) {
  if (!strides.empty()) check_foreign_strides(shape, strides, storage->writable(), sizeof(T));
  if (shape.size() > 0 && data == nullptr) {
    throw UsageError("over: null for shape {}; it takes the address of {} elements", shape.text(),
                     shape.size());
  }
  if (reinterpret_cast<std::uintptr_t>(data) % alignof(T) != 0) {
    throw UsageError("over: the address {} is not aligned for elements of {} bytes",
                     static_cast<const void*>(data), sizeof(T));
  }
  TensorOf seen;
  seen.data_ = shape.size() > 0 ? data : static_cast<T*>(storage->elements());
  seen.storage_ = storage;
  seen.size_ = shape.size();
  seen.shape_ = shape;
  seen.strides_ = contiguous_strides(shape);
  std::ranges::copy(strides, seen.strides_.begin());
  seen.find_contiguous();
  return seen;
}

template <typename T>
TensorOf<T> TensorOf<T>::over(const T* data, const Shape& shape,
                              const std::vector<std::int64_t>& strides,
                              std::shared_ptr<const void> owner) {
  // Its storage refuses every write.
  return over_foreign(const_cast<T*>(data), shape, strides,
                      Storage::of_foreign(std::move(owner), false));
}

template <typename T>
TensorOf<T> TensorOf<T>::over(T* data, const Shape& shape, const std::vector<std::int64_t>& strides,
                              std::shared_ptr<const void> owner) {
  return over_foreign(data, shape, strides, Storage::of_foreign(std::move(owner), true));
}

template <typename T>
void TensorOf<T>::refuse_undefined(const char* op) {
  throw UsageError(
      "{}: a tensor that is not defined; it takes one with elements (a default-constructed tensor "
      "and a gradient that has not arrived have none)",
      op);
}

template <typename T>
std::span<const T> TensorOf<T>::span() const {
  if (!contiguous_) {
    throw UsageError("span: a strided view of shape {}; it takes a contiguous tensor: packed()",
                     shape_.text());
  }
  return {data_, static_cast<std::size_t>(size_)};
}

template <typename T>
T TensorOf<T>::item() const {
  required("item");
  if (size_ != 1)
    throw UsageError("item: shape {} has {} elements; it takes one", shape_.text(), size_);
  return *data_;
}

template <typename T>
T TensorOf<T>::at(std::initializer_list<std::int64_t> indices) const {
  required("at");
  if (static_cast<int>(indices.size()) != rank()) {
    throw UsageError("at: {} indices for shape {}", indices.size(), shape_.text());
  }
  std::int64_t offset = 0;
  int axis = 0;
  for (const std::int64_t index : indices) {
    if (index < 0 || index >= shape_[axis]) {
      throw UsageError("at: index {} of axis {} of shape {}", index, axis, shape_.text());
    }
    offset += index * strides_[axis++];
  }
  return data_[offset];
}

template <typename T>
std::vector<T> TensorOf<T>::values() const {
  const TensorOf straight = packed();
  return {straight.data_, straight.data_ + size_};
}

template <typename T>
std::string TensorOf<T>::text() const {
  if (!defined()) return "(none)";
  constexpr std::int64_t kMost = 64;
  const std::int64_t row = rank() > 0 ? std::max<std::int64_t>(shape_[rank() - 1], 1) : 1;
  std::string line = shape_.text();
  const std::vector<T> all = values();
  for (std::int64_t i = 0; i < std::min(size_, kMost); ++i) {
    line += fmt::format("{} {:.6g}", i > 0 && i % row == 0 ? ";" : "", static_cast<double>(all[i]));
  }
  return size_ > kMost ? line + " ..." : line;
}

template <typename T>
TensorOf<T> TensorOf<T>::view(const Shape& shape, const std::array<std::int64_t, kMaxRank>& strides,
                              T* data) const {
  required("view");
  TensorOf seen;
  seen.storage_ = storage_;
  seen.data_ = data;
  seen.size_ = shape.size();
  seen.shape_ = shape;
  seen.strides_ = strides;
  seen.find_contiguous();
  return seen;
}

template <typename T>
void TensorOf<T>::find_contiguous() {
  std::int64_t step = 1;
  contiguous_ = true;
  for (int axis = rank() - 1; axis >= 0 && contiguous_; --axis) {
    contiguous_ = shape_[axis] == 1 || strides_[axis] == step;
    step *= shape_[axis];
  }
  contiguous_ = contiguous_ || size_ == 0;
}

template <typename T>
TensorOf<T> TensorOf<T>::transpose(int first, int second) const {
  first = shape_.axis(first, "transpose");
  second = shape_.axis(second, "transpose");
  auto strides = strides_;
  std::swap(strides[first], strides[second]);
  return view(shape_.with(first, shape_[second]).with(second, shape_[first]), strides, data_);
}

template <typename T>
TensorOf<T> TensorOf<T>::permute(std::span<const int> axes) const {
  if (static_cast<int>(axes.size()) != rank()) {
    throw UsageError("permute: {} axes named for shape {}", axes.size(), shape_.text());
  }
  Shape shape = shape_;
  auto strides = strides_;
  unsigned seen = 0;
  int to = 0;
  for (int axis : axes) {
    axis = shape_.axis(axis, "permute");
    if ((seen >> axis & 1u) != 0) throw UsageError("permute: axis {} is named twice", axis);
    seen |= 1u << axis;
    shape = shape.with(to, shape_[axis]);
    strides[to++] = strides_[axis];
  }
  return view(shape, strides, data_);
}

template <typename T>
TensorOf<T> TensorOf<T>::slice(int axis, std::int64_t begin, std::int64_t end,
                               std::int64_t step) const {
  axis = shape_.axis(axis, "slice");
  if (begin < 0 || begin > end || end > shape_[axis] || step < 1) {
    throw UsageError(
        "slice: {}:{}:{} of axis {} of shape {}; it takes 0 <= begin <= end <= {}, step >= 1",
        begin, end, step, axis, shape_.text(), shape_[axis]);
  }
  auto strides = strides_;
  strides[axis] *= step;
  return view(shape_.with(axis, (end - begin + step - 1) / step), strides,
              data_ + begin * strides_[axis]);
}

template <typename T>
TensorOf<T> TensorOf<T>::select(int axis, std::int64_t index) const {
  axis = shape_.axis(axis, "select");
  return slice(axis, index, index + 1).squeeze(axis);
}

template <typename T>
TensorOf<T> TensorOf<T>::expand(const Shape& shape) const {
  if (broadcast(shape_, shape, "expand") != shape) {
    throw UsageError("expand: shape {} does not stretch to {}", shape_.text(), shape.text());
  }
  std::array<std::int64_t, kMaxRank> strides{};
  const int shift = shape.rank() - rank();
  for (int axis = 0; axis < rank(); ++axis) {
    strides[axis + shift] = shape_[axis] == shape[axis + shift] ? strides_[axis] : 0;
  }
  return view(shape, strides, data_);
}

template <typename T>
TensorOf<T> TensorOf<T>::squeeze(int axis) const {
  axis = shape_.axis(axis, "squeeze");
  if (shape_[axis] != 1) {
    throw UsageError("squeeze: axis {} of shape {} is not 1", axis, shape_.text());
  }
  auto strides = strides_;
  std::copy(strides_.begin() + axis + 1, strides_.end(), strides.begin() + axis);
  return view(shape_.without(axis), strides, data_);
}

template <typename T>
TensorOf<T> TensorOf<T>::unsqueeze(int axis) const {
  const Shape room = shape_.inserted(0, 1);  // so that -1 means after the last
  axis = room.axis(axis, "unsqueeze");
  auto strides = strides_;
  std::copy_backward(strides_.begin() + axis, strides_.end() - 1, strides.end());
  strides[axis] = 0;
  return view(shape_.inserted(axis, 1), strides, data_);
}

template <typename T>
TensorOf<T> TensorOf<T>::reshape(const Shape& shape) const {
  if (shape.size() != size_) {
    throw UsageError("reshape: shape {} has {} elements, {} has {}", shape_.text(), size_,
                     shape.text(), shape.size());
  }
  if (shape == shape_) return *this;
  if (contiguous_) return view(shape, contiguous_strides(shape), data_);
  return packed().reshape(shape);
}

template <typename T>
TensorOf<T> TensorOf<T>::reshape(std::initializer_list<std::int64_t> sizes) const {
  if (std::count(sizes.begin(), sizes.end(), -1) != 1) return reshape(Shape(sizes));
  Shape shape;  // with 1 for the open size
  for (const std::int64_t size : sizes) shape = shape.then(size == -1 ? 1 : size);
  const std::int64_t known = shape.size();
  if (known == 0 || size_ % known != 0) {
    throw UsageError("reshape: {} elements of shape {} do not divide by the other sizes, {}", size_,
                     shape_.text(), known);
  }
  const auto open = std::find(sizes.begin(), sizes.end(), -1) - sizes.begin();
  return reshape(shape.with(static_cast<int>(open), size_ / known));
}

template <typename T>
TensorOf<T> TensorOf<T>::packed() const {
  return contiguous_ ? *this : clone();
}

template <typename T>
TensorOf<T> TensorOf<T>::clone() const {
  required("clone");
  TensorOf copy(shape_);
  copy_elements(*this, copy);
  return copy;
}

template <typename T>
void TensorOf<T>::assign(const TensorOf& other) {
  required("assign");
  if (other.required("assign").shape() != shape_) {
    throw UsageError("assign: shape {} into shape {}; they must be equal", other.shape().text(),
                     shape_.text());
  }
  copy_elements(other, *this);
}

template class TensorOf<Real>;
template class TensorOf<std::int32_t>;

}  // namespace heed
