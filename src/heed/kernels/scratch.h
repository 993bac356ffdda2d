// SPDX-License-Identifier: Apache-2.0
// Memory of one thread for packed blocks: it grows to the largest request and stays, so that a
// steady state allocates nothing.
#pragma once

#include <cstddef>
#include <cstdlib>

namespace heed::kernels {

class Scratch {
 public:
  Scratch() = default;
  ~Scratch() { std::free(data_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  // At least `bytes` bytes at the start of a page; null when there is no memory. What an earlier
  // call returned may be gone.
  void* reserve(std::size_t bytes) noexcept {
    constexpr std::size_t kPage = 4096;
    // A Scratch is thread_local, which clang-tidy 14 takes for a variable of the function.
    // NOLINTBEGIN(clang-analyzer-unix.Malloc)
    if (bytes > size_) {
      std::free(data_);
      size_ = (bytes + kPage - 1) / kPage * kPage;
      data_ = std::aligned_alloc(kPage, size_);
      if (data_ == nullptr) size_ = 0;
    }
    return data_;
    // NOLINTEND(clang-analyzer-unix.Malloc)
  }

 private:
  void* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace heed::kernels
