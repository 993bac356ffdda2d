// SPDX-License-Identifier: Apache-2.0
// PooledVector: a std::vector whose memory comes from the caching allocator, for lists made at
// every step.
#pragma once

#include <cstddef>
#include <vector>

#include "heed/tensor/allocator.h"

#pragma GCC visibility push(default)  // exported

namespace heed {

template <typename T>
struct PoolAllocator {
  using value_type = T;
  PoolAllocator() = default;
  template <typename U>
  PoolAllocator(const PoolAllocator<U>&) {}

  T* allocate(std::size_t n) { return static_cast<T*>(heed::allocate(n * sizeof(T))); }
  void deallocate(T* block, std::size_t n) { heed::release(block, n * sizeof(T)); }
  friend bool operator==(const PoolAllocator&, const PoolAllocator&) { return true; }
};

template <typename T>
using PooledVector = std::vector<T, PoolAllocator<T>>;

}  // namespace heed

#pragma GCC visibility pop
