// SPDX-License-Identifier: Apache-2.0
// The caching allocator: blocks given back are kept and reused, so a steady training step calls
// malloc no more.
#pragma once  // public header

#include <cstddef>
#include <cstdint>

#pragma GCC visibility push(default)  // exported

namespace heed {

// 64-byte aligned block of at least `bytes`. Each thread keeps its own free lists (no locks). A
// block may be released on another thread than it came from, and that thread keeps no more than it
// has used itself, and 32 MiB at the most on top. Throws std::bad_alloc.
void* allocate(std::size_t bytes);

// Gives back a block; `bytes` is what was asked for.
void release(void* block, std::size_t bytes) noexcept;

struct AllocatorStatistics {
  std::uint64_t system_calls;  // blocks this thread has asked the system for
  std::uint64_t bytes_cached;  // held in this thread's free lists
};
AllocatorStatistics allocator_statistics();

// Returns this thread's free blocks to the system.
void release_cached_blocks() noexcept;

}  // namespace heed

#pragma GCC visibility pop
