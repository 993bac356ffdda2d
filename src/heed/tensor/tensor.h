// SPDX-License-Identifier: Apache-2.0
// Tensor: a strided view of reference-counted storage. Copies share elements; clone() does not.
#pragma once  // public header

#include <array>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "heed/tensor/real.h"
#include "heed/tensor/shape.h"
#include "heed/tensor/storage.h"

#pragma GCC visibility push(default)  // exported

namespace heed {

template <typename T>
class TensorOf {
 public:
  TensorOf() = default;                   // no elements at all: defined() is false
  explicit TensorOf(const Shape& shape);  // contiguous, uninitialised

  static TensorOf zeros(const Shape& shape) { return full(shape, T{0}); }
  static TensorOf full(const Shape& shape, T value);
  static TensorOf scalar(T value) { return full({}, value); }
  // Values in logical order; a count other than shape.size() is a UsageError.
  static TensorOf of(const Shape& shape, std::span<const T> values);
  static TensorOf of(const Shape& shape, std::initializer_list<T> values) {
    return of(shape, std::span(values.begin(), values.size()));
  }
  // A tensor over elements that lie in the caller's memory, without a copy, for every op and
  // mechanism. Strides count elements; left out, the rows follow each other. `owner` is held until
  // the last view is gone, also those that graphs keep; what its deleter does is done then (on
  // whichever thread that is). Without an owner the memory must outlive them.
  //   const Tensor keys = Tensor::over(image->pixels(), {rows, columns}, {pitch, 1}, image);
  // Writing through a tensor over const memory is a UsageError. Refused as well: null, a pointer
  // that is not aligned for T, strides that are negative or other than one per axis, and those that
  // give two elements one place (0 repeats elements, in memory that is only read).
  static TensorOf over(const T* data, const Shape& shape,
                       const std::vector<std::int64_t>& strides = {},
                       std::shared_ptr<const void> owner = {});
  static TensorOf over(T* data, const Shape& shape, const std::vector<std::int64_t>& strides = {},
                       std::shared_ptr<const void> owner = {});

  bool defined() const { return static_cast<bool>(storage_); }
  // Itself; a tensor that is not defined is a UsageError that names the op it was given to.
  const TensorOf& required(const char* op) const {
    if (!defined()) [[unlikely]]
      refuse_undefined(op);
    return *this;
  }
  const Shape& shape() const { return shape_; }
  int rank() const { return shape_.rank(); }
  std::int64_t size() const { return size_; }
  std::int64_t size(int axis) const { return shape_[shape_.axis(axis, "size")]; }
  // In elements; 0 where broadcast.
  std::int64_t stride(int axis) const { return strides_[shape_.axis(axis, "stride")]; }
  bool contiguous() const { return contiguous_; }

  // The first element, null when not defined (kernels take that for an operand left out). Reading
  // is free; mutable_data() counts as a write (see Storage::version), and is a UsageError over
  // foreign memory that is only to be read.
  const T* data() const { return data_; }
  T* mutable_data() {
    if (storage_) storage_->written();
    return data_;
  }
  std::span<const T> span() const;  // contiguous tensors only; packed() makes one
  // Whether no other tensor sees these elements and they are in no foreign memory, so that they may
  // be written or given away.
  bool unique() const { return storage_ && storage_->unique(); }
  std::uint32_t version() const { return storage_ ? storage_->version() : 0; }
  const Ref<Storage>& storage() const { return storage_; }

  T item() const;  // the only element
  T at(std::initializer_list<std::int64_t> indices) const;
  std::vector<T> values() const;  // in logical order
  std::string text() const;       // "[2,2] 1 2; 3 4", long tensors abridged

  // Views: same elements, other shape or strides.
  TensorOf transpose(int first = -2, int second = -1) const;
  TensorOf permute(std::span<const int> axes) const;
  TensorOf permute(std::initializer_list<int> axes) const {
    return permute(std::span(axes.begin(), axes.size()));
  }
  TensorOf slice(int axis, std::int64_t begin, std::int64_t end, std::int64_t step = 1) const;
  TensorOf select(int axis, std::int64_t index) const;  // slice of one, axis removed
  TensorOf expand(const Shape& shape) const;            // broadcast, stride 0
  TensorOf squeeze(int axis) const;
  TensorOf unsqueeze(int axis) const;
  // A view where the strides allow it, else a copy. One size may be -1: whatever is left.
  TensorOf reshape(const Shape& shape) const;
  TensorOf reshape(std::initializer_list<std::int64_t> sizes) const;

  TensorOf packed() const;  // itself when contiguous, else a contiguous copy
  TensorOf clone() const;   // always a contiguous copy
  // Copies other's elements here; shapes must be equal.
  void assign(const TensorOf& other);

 private:
  [[noreturn]] static void refuse_undefined(const char* op);
  TensorOf view(const Shape& shape, const std::array<std::int64_t, kMaxRank>& strides,
                T* data) const;
  static TensorOf over_foreign(T* data, const Shape& shape,
                               const std::vector<std::int64_t>& strides,
                               const Ref<Storage>& storage);
  void find_contiguous();

  Ref<Storage> storage_;
  T* data_ = nullptr;
  std::int64_t size_ = 0;
  Shape shape_;
  std::array<std::int64_t, kMaxRank> strides_{};
  bool contiguous_ = true;
};

using Tensor = TensorOf<Real>;
using Ids = TensorOf<std::int32_t>;  // token ids and other indices

extern template class TensorOf<Real>;
extern template class TensorOf<std::int32_t>;

}  // namespace heed

#pragma GCC visibility pop
