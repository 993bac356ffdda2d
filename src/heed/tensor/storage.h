// SPDX-License-Identifier: Apache-2.0
// Storage: one block of memory that several tensors may view, with its count of references and of
// writes. It is the tensors' own, or foreign memory that lives as long as its owner is held.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>

#include "heed/tensor/allocator.h"
#include "heed/tensor/ref.h"

#pragma GCC visibility push(default)  // exported

namespace heed {

// The header fills one cache line and the elements follow it: one allocation, elements 64-byte
// aligned.
class alignas(64) Storage {
 public:
  static Ref<Storage> of_bytes(std::size_t bytes) {
    return Ref<Storage>(new (allocate(sizeof(Storage) + bytes)) Storage(bytes));
  }
  // Only the header, for elements that lie elsewhere; lets go of `owner` with the last reference.
  static Ref<Storage> of_foreign(std::shared_ptr<const void> owner, bool writable) {
    return Ref<Storage>(new (allocate(sizeof(Storage))) Storage(std::move(owner), writable));
  }

  void* elements() { return this + 1; }  // of its own; foreign ones only the tensor knows
  std::size_t bytes() const { return bytes_; }

  // How often the elements may have been written; autograd compares it in `dev` builds.
  std::uint32_t version() const { return version_; }
  bool writable() const { return kind_ != Kind::read_only; }
  // To be called before each write: memory that may only be read is a UsageError.
  void written() {
    if (kind_ == Kind::read_only) [[unlikely]]
      refuse_write();
    ++version_;
  }

  // Whether nothing else refers to elements that are Heed's own, so that an op may use them up.
  bool unique() const { return kind_ == Kind::own && last(); }
  void retain() { references_.fetch_add(1, std::memory_order_relaxed); }
  void release() {
    if (last() || references_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      if (kind_ != Kind::own) [[unlikely]]
        std::destroy_at(&owner_);
      heed::release(this, sizeof(Storage) + bytes_);
    }
  }

 private:
  enum class Kind : std::uint32_t { own, foreign, read_only };

  explicit Storage(std::size_t bytes) : bytes_(bytes) {}
  Storage(std::shared_ptr<const void> owner, bool writable)
      : kind_(writable ? Kind::foreign : Kind::read_only), owner_(std::move(owner)) {}
  ~Storage() = delete;  // see release()
  bool last() const { return references_.load(std::memory_order_acquire) == 1; }
  [[noreturn]] static void refuse_write();

  std::size_t bytes_ = 0;
  std::atomic<std::uint32_t> references_{1};
  std::uint32_t version_ = 0;
  Kind kind_ = Kind::own;
  // Of foreign elements only; else it is never made, and costs nothing.
  union {
    std::shared_ptr<const void> owner_;
  };
};

}  // namespace heed

#pragma GCC visibility pop
