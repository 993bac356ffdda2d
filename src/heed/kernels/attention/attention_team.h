// SPDX-License-Identifier: Apache-2.0
// How threads share a fused attention: one key head after the other with all threads at its query
// blocks, or, where heads are many and short, a head to a thread.
#pragma once

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <cstddef>

#include "heed/base/threads.h"
#include "heed/kernels/attention/attention.h"
#include "heed/kernels/attention/attention_plan.h"
#include "heed/kernels/dropout.h"
#include "heed/kernels/scratch.h"

namespace heed::kernels {

// Elements of what a key head is packed into, and of the scratch of one block.
struct PackedSizes {
  std::size_t columns = 0;  // keys of a panel
  std::size_t keys = 0;
  std::size_t values = 0;
  std::size_t block = 0;
};

// What one thread holds.
struct BlockScratch {
  BlockPlan plan;
  StripPlan strip;
  Scratch numbers;
  Scratch packed;

  template <typename T>
  T* room(std::size_t count) {
    return static_cast<T*>(numbers.reserve(count * sizeof(T)));
  }
  template <typename T>
  T* packed_room(std::size_t count) {
    return static_cast<T*>(packed.reserve(count * sizeof(T)));
  }
};

inline BlockScratch& block_scratch() {
  thread_local BlockScratch scratch;
  return scratch;
}

// The threads that work on one key head.
struct Team {
  bool shared;

  // Calls body(begin, end) over [0, count) in pieces of `grain`; every thread of a shared team
  // must come here, and leaves when all pieces are done.
  template <typename Body>
  void share(std::size_t count, std::size_t grain, const Body& body) const {
    if (!shared) return body(std::size_t{0}, count);
#pragma omp for schedule(static)
    for (std::size_t begin = 0; begin < count; begin += grain) {
      body(begin, std::min(begin + grain, count));
    }
  }
};

// Drops weights in place, the first of which is element `first` of the mask.
template <typename T>
void drop_weights(const WeightDropout& options, std::size_t first, std::size_t n, T* weights) {
  dropout(weights, weights, n,
          {.probability = options.probability,
           .seed = options.seed,
           .stream = options.stream,
           .first = first});
}

// Where part i of `parts` begins when n items are spread evenly.
inline std::size_t even(std::size_t n, std::size_t parts, std::size_t i) {
  return n * i / parts;
}

// Calls pack(team, b, g, packed) for every key head, then block(b, h, begin, end, packed, scratch)
// for every block of queries of the heads that read it. Blocks go from the last to the first: under
// a causal mask these are the longest, and what is left for the end is short.
template <typename T, typename Pack, typename Block>
void over_query_blocks(const AttentionSizes& sizes, const PackedSizes& packed_sizes,
                       std::size_t query_block, const Pack& pack, const Block& block) {
  const std::size_t group = sizes.heads / sizes.key_heads;
  const std::size_t key_heads = sizes.batch * sizes.key_heads;
  const std::size_t blocks = (sizes.queries + query_block - 1) / query_block;
  const std::size_t tasks = group * blocks;
  const std::size_t packed_count = packed_sizes.keys + packed_sizes.values;
  const auto run = [&](std::size_t key_head, std::size_t task, T* packed) {
    const std::size_t b = key_head / sizes.key_heads;
    const std::size_t h = key_head % sizes.key_heads * group + task / blocks;
    const std::size_t i = blocks - 1 - task % blocks;
    block(b, h, even(sizes.queries, blocks, i), even(sizes.queries, blocks, i + 1), packed,
          block_scratch());
  };
  const auto run_head = [&](std::size_t key_head) {
    T* packed = block_scratch().packed_room<T>(packed_count);
    pack(Team{false}, key_head / sizes.key_heads, key_head % sizes.key_heads, packed);
    for (std::size_t task = 0; task < tasks; ++task) run(key_head, task, packed);
  };
  const int count = omp_in_parallel() != 0 ? 1 : threads();
  if (count == 1) {
    for (std::size_t key_head = 0; key_head < key_heads; ++key_head) run_head(key_head);
    return;
  }
  // Below this much work in a head the two meetings of the threads would show.
  constexpr std::size_t kSharedWork = std::size_t{1} << 22;
  const bool short_heads = sizes.queries * sizes.keys * group * sizes.width < kSharedWork;
  if (short_heads && key_heads > 1) {
#pragma omp parallel for num_threads(count) schedule(dynamic, 1)
    for (std::size_t key_head = 0; key_head < key_heads; ++key_head) run_head(key_head);
    return;
  }
  T* packed = block_scratch().packed_room<T>(packed_count);
#pragma omp parallel num_threads(count)
  for (std::size_t key_head = 0; key_head < key_heads; ++key_head) {
    pack(Team{true}, key_head / sizes.key_heads, key_head % sizes.key_heads, packed);
#pragma omp for schedule(dynamic, 1)
    for (std::size_t task = 0; task < tasks; ++task) run(key_head, task, packed);
  }
}

}  // namespace heed::kernels
