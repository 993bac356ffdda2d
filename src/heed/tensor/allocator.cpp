// SPDX-License-Identifier: Apache-2.0
// Free lists by size class, four classes per power of two: at most a quarter of a block is slack.
#include "heed/tensor/allocator.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <new>

#include "heed/tensor/memory_use.h"

namespace heed {
namespace {

constexpr std::size_t kAlignment = 64;
constexpr int kClasses = 4 * 48;                            // 64 B to far beyond any memory
constexpr std::int64_t kMostBytes = std::int64_t{1} << 47;  // a process has no more addresses
// Free blocks are kept up to an eighth of the deepest fall in use so far, and this (or the largest
// use, where that is less). Batches of ever new shapes would otherwise keep the most each size was
// ever needed: 820 MiB where 480 do.
constexpr std::int64_t kSpare = std::int64_t{32} << 20;

struct FreeBlock {
  FreeBlock* next;
};

// Class c holds blocks of (4 + c % 4) << (c / 4 + 4) bytes: 64, 80, 96, 112, 128, 160, 192, 224,
// 256, ...
int class_of(std::size_t bytes) {
  if (bytes <= kAlignment) return 0;
  const std::size_t last = bytes - 1;
  const int power = std::bit_width(last) - 1;  // 2^power <= last < 2^(power+1), power >= 6
  const int quarter = static_cast<int>((last >> (power - 2)) & 3);
  return 4 * (power - 6) + quarter + 1;
}

std::size_t size_of_class(int index) {
  return static_cast<std::size_t>(4 + index % 4) << (index / 4 + 4);
}

// Tensors with static lifetime may be released after this thread's cache is gone; the flag outlives
// it.
thread_local bool cache_gone = false;

struct Cache {
  FreeBlock* free[kClasses] = {};
  std::uint64_t asked[kClasses] = {};  // when blocks of the class were asked for last
  std::uint64_t clock = 0;
  AllocatorStatistics statistics{};
  MemoryUse use{};
  std::int64_t limit = kMostBytes;
  std::int64_t largest_use = 0;
  std::int64_t deepest_fall = 0;  // from the largest use: what this thread itself may need again

  ~Cache() {
    clear();
    cache_gone = true;
  }
  void clear() noexcept {
    for (FreeBlock*& head : free) {
      while (head != nullptr) {
        FreeBlock* next = head->next;
        std::free(head);
        head = next;
      }
    }
    statistics.bytes_cached = 0;
  }
  // How many bytes may be in use and cached together. A thread that hands blocks to others looks as
  // if it used ever more of them, and its fall stays small: it keeps the spare. One that only gives
  // back what others have asked for has neither use nor fall, and keeps nothing.
  std::int64_t most_held(std::int64_t next_use) const {
    const std::int64_t largest = std::max(largest_use, next_use);
    return largest + deepest_fall / 8 + std::min(largest, kSpare);
  }
  void count_taken(std::int64_t next_use) {
    use.bytes = next_use;
    use.most_bytes = std::max(use.most_bytes, next_use);
    largest_use = std::max(largest_use, next_use);
  }
  // Blocks of other threads may come back here, more of them than this one was ever given.
  void count_given_back(std::int64_t size) {
    use.bytes = std::max<std::int64_t>(use.bytes - size, 0);
    deepest_fall = std::max(deepest_fall, largest_use - use.bytes);
  }
  // The class with free blocks that was asked for longest ago; kClasses where none is free.
  int stalest() const {
    int found = kClasses;
    for (int index = 0; index < kClasses; ++index) {
      if (free[index] == nullptr) continue;
      if (found == kClasses || asked[index] < asked[found]) found = index;
    }
    return found;
  }
  // Before the use becomes so much: gives free blocks back to the system, those of the stalest
  // sizes first, until no more is held than may be. (The largest first, a step whose sizes are
  // larger than what others have left would throw away what it needs again, for ever.)
  void make_room(std::int64_t next_use) noexcept {
    const std::int64_t most = most_held(next_use);
    const auto held = [&] { return next_use + static_cast<std::int64_t>(statistics.bytes_cached); };
    while (held() > most) {
      const int index = stalest();
      if (index == kClasses) return;
      while (free[index] != nullptr && held() > most) {
        FreeBlock* block = free[index];
        free[index] = block->next;
        std::free(block);
        statistics.bytes_cached -= size_of_class(index);
      }
    }
  }
};

thread_local Cache cache;

void* from_system(std::size_t bytes) {
  // Whole cache lines: aligned_alloc wants a multiple of the alignment.
  const std::size_t rounded = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  void* block = std::aligned_alloc(kAlignment, rounded);
  if (block == nullptr) throw std::bad_alloc();
  return block;
}

}  // namespace

void* allocate(std::size_t bytes) {
  if (bytes > std::size_t{kMostBytes}) throw std::bad_alloc();
  const int index = class_of(bytes);
  const std::size_t size = size_of_class(index);
  if (cache_gone) return from_system(size);
  const std::int64_t use = cache.use.bytes + static_cast<std::int64_t>(size);
  if (use > cache.limit) throw std::bad_alloc();
  cache.asked[index] = ++cache.clock;
  void* block = cache.free[index];
  if (block == nullptr) {
    cache.make_room(use);
    block = from_system(size);
    ++cache.statistics.system_calls;
  } else {
    cache.free[index] = static_cast<FreeBlock*>(block)->next;
    cache.statistics.bytes_cached -= size;
  }
  cache.count_taken(use);
  return block;
}

void release(void* block, std::size_t bytes) noexcept {
  if (block == nullptr) return;
  if (cache_gone) return std::free(block);
  const int index = class_of(bytes);
  const auto size = static_cast<std::int64_t>(size_of_class(index));
  cache.count_given_back(size);
  const std::int64_t held =
      cache.use.bytes + static_cast<std::int64_t>(cache.statistics.bytes_cached) + size;
  if (held > cache.most_held(cache.use.bytes)) return std::free(block);  // another thread's
  auto* free_block = static_cast<FreeBlock*>(block);
  free_block->next = cache.free[index];
  cache.free[index] = free_block;
  cache.statistics.bytes_cached += static_cast<std::uint64_t>(size);
}

AllocatorStatistics allocator_statistics() {
  return cache_gone ? AllocatorStatistics{} : cache.statistics;
}

MemoryUse memory_use() {
  return cache_gone ? MemoryUse{} : cache.use;
}

void start_memory_peak() noexcept {
  if (!cache_gone) cache.use.most_bytes = cache.use.bytes;
}

MemoryLimit::MemoryLimit(std::int64_t bytes) noexcept : outer_(cache.limit) {
  if (!cache_gone) cache.limit = std::min(outer_, cache.use.bytes + bytes);
}

MemoryLimit::~MemoryLimit() {
  if (!cache_gone) cache.limit = outer_;
}

void release_cached_blocks() noexcept {
  if (!cache_gone) cache.clear();
}

}  // namespace heed
