// SPDX-License-Identifier: Apache-2.0
// How many bytes of tensors are alive, how many were at most, and how many may be.
#pragma once  // public header

#include <cstdint>

#pragma GCC visibility push(default)  // exported

namespace heed {

// Blocks this thread has been given less those it has given back (not below 0 when it gives back
// another thread's), as large as they really are (a block may be up to a quarter larger than what
// was asked for). Free blocks that the allocator
// keeps do not count, nor does what kernels take for themselves.
struct MemoryUse {
  std::int64_t bytes;
  std::int64_t most_bytes;  // since the last start_memory_peak()
};
MemoryUse memory_use();
void start_memory_peak() noexcept;

// Until the end of the scope this thread's tensors may grow by this many bytes; what would take
// more is a std::bad_alloc. For what somebody else's numbers make: these may ask for all there is.
class MemoryLimit {
 public:
  explicit MemoryLimit(std::int64_t bytes) noexcept;
  ~MemoryLimit();
  MemoryLimit(const MemoryLimit&) = delete;
  MemoryLimit& operator=(const MemoryLimit&) = delete;

 private:
  std::int64_t outer_;
};

}  // namespace heed

#pragma GCC visibility pop
