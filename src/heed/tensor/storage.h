// SPDX-License-Identifier: Apache-2.0
// Storage: one block of memory that several tensors may view, with its count of references and of
// writes.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>

#include "heed/tensor/allocator.h"
#include "heed/tensor/ref.h"

namespace heed {

// The header fills one cache line and the elements follow it: one allocation, elements 64-byte
// aligned.
class alignas(64) Storage {
 public:
  static Ref<Storage> of_bytes(std::size_t bytes) {
    return Ref<Storage>(new (allocate(sizeof(Storage) + bytes)) Storage(bytes));
  }

  void* elements() { return this + 1; }
  std::size_t bytes() const { return bytes_; }

  // How often the elements may have been written; autograd compares it in `dev` builds.
  std::uint32_t version() const { return version_; }
  void written() { ++version_; }

  bool unique() const { return references_.load(std::memory_order_acquire) == 1; }
  void retain() { references_.fetch_add(1, std::memory_order_relaxed); }
  void release() {
    if (unique() || references_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      heed::release(this, sizeof(Storage) + bytes_);
    }
  }

 private:
  explicit Storage(std::size_t bytes) : bytes_(bytes) {}

  std::size_t bytes_;
  std::atomic<std::uint32_t> references_{1};
  std::uint32_t version_ = 0;
};

}  // namespace heed
