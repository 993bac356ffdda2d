// SPDX-License-Identifier: Apache-2.0
// InlineVector: a short list held in place; a longer one takes its memory from the caching
// allocator.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include "heed/tensor/allocator.h"

#pragma GCC visibility push(default)  // exported

namespace heed {

template <typename T, std::size_t kInline>
class InlineVector {
 public:
  InlineVector() = default;
  InlineVector(InlineVector&& other) noexcept { take(other); }
  InlineVector& operator=(InlineVector&& other) noexcept {
    if (this != &other) {
      destroy();
      take(other);
    }
    return *this;
  }
  ~InlineVector() { destroy(); }

  // Elements move when the list grows, so references into it do not survive a push_back.
  template <typename... Arguments>
  T& emplace_back(Arguments&&... arguments) {
    if (size_ == capacity_) grow(2 * capacity_);
    return *std::construct_at(items_ + size_++, std::forward<Arguments>(arguments)...);
  }
  void reserve(std::size_t capacity) {
    if (capacity > capacity_) grow(capacity);
  }
  void clear() {
    std::destroy_n(items_, size_);
    size_ = 0;
  }

  std::size_t size() const { return size_; }
  T& operator[](std::size_t i) { return items_[i]; }
  const T& operator[](std::size_t i) const { return items_[i]; }
  T* begin() { return items_; }
  T* end() { return items_ + size_; }
  const T* begin() const { return items_; }
  const T* end() const { return items_ + size_; }

 private:
  T* inline_items() { return reinterpret_cast<T*>(room_); }
  bool is_inline() const { return capacity_ == kInline; }

  void grow(std::size_t capacity) {
    T* larger = static_cast<T*>(allocate(capacity * sizeof(T)));
    std::uninitialized_move_n(items_, size_, larger);
    const std::size_t size = size_;
    destroy();
    items_ = larger;
    size_ = size;
    capacity_ = capacity;
  }
  void destroy() {
    std::destroy_n(items_, size_);
    if (!is_inline()) release(items_, capacity_ * sizeof(T));
    items_ = inline_items();
    size_ = 0;
    capacity_ = kInline;
  }
  // Leaves other empty; this one is empty and inline before.
  void take(InlineVector& other) {
    if (other.is_inline()) {
      std::uninitialized_move_n(other.items_, other.size_, items_);
      size_ = other.size_;
      other.clear();
    } else {
      items_ = std::exchange(other.items_, other.inline_items());
      size_ = std::exchange(other.size_, 0);
      capacity_ = std::exchange(other.capacity_, kInline);
    }
  }

  alignas(T) std::byte room_[kInline * sizeof(T)];
  T* items_ = inline_items();
  std::size_t size_ = 0;
  std::size_t capacity_ = kInline;
};

}  // namespace heed

#pragma GCC visibility pop
