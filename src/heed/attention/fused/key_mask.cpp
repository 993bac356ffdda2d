// SPDX-License-Identifier: Apache-2.0
// Runs of keys become words of bits, tile by tile, both ascending.
#include "heed/attention/fused/key_mask.h"

#include <algorithm>
#include <vector>

namespace heed::attention {
namespace {

std::int64_t signed_of(std::size_t n) {
  return static_cast<std::int64_t>(n);
}

// Bits [begin, end) of a word, 0 <= begin < end <= 64.
std::uint64_t bits(std::int64_t begin, std::int64_t end) {
  const std::uint64_t below_end = end >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << end) - 1;
  return below_end & ~((std::uint64_t{1} << begin) - 1);
}

// The keys of one run in the tile that begins at `tile`.
std::uint64_t word_of(const KeyRun& run, std::int64_t tile) {
  constexpr auto kKeys = static_cast<std::int64_t>(kernels::kMaskKeys);
  if (run.step == 1) {
    const std::int64_t begin = std::max(run.begin - tile, std::int64_t{0});
    const std::int64_t end = std::min(run.end - tile, kKeys);
    return begin < end ? bits(begin, end) : 0;
  }
  const std::int64_t before = std::max(tile - run.begin, std::int64_t{0});
  std::uint64_t word = 0;
  for (std::int64_t key = run.begin + (before + run.step - 1) / run.step * run.step;
       key < std::min(run.end, tile + kKeys); key += run.step) {
    word |= std::uint64_t{1} << (key - tile);
  }
  return word;
}

}  // namespace

TileCover PatternMask::classify(const kernels::TileRange& tile) const noexcept {
  TileCover cover = TileCover::empty;
  failure_->guard([&] {
    cover = pattern_->classify(signed_of(tile.batch), signed_of(tile.head),
                               {signed_of(tile.query_begin), signed_of(tile.query_end)},
                               {signed_of(tile.key_begin), signed_of(tile.key_end)});
  });
  return cover;
}

void PatternMask::allowed(std::size_t batch, std::size_t head, std::size_t query,
                          std::span<const std::size_t> tiles, std::uint64_t* words) const noexcept {
  thread_local std::vector<KeyRun> runs;
  runs.clear();
  failure_->guard(
      [&] { pattern_->runs(signed_of(batch), signed_of(head), signed_of(query), runs); });
  std::size_t first = 0;  // no run before it reaches the tile
  for (std::size_t i = 0; i < tiles.size(); ++i) {
    const std::int64_t tile = signed_of(tiles[i]);
    const std::int64_t end = tile + signed_of(kernels::kMaskKeys);
    while (first < runs.size() && runs[first].end <= tile) ++first;
    words[i] = 0;
    for (std::size_t r = first; r < runs.size() && runs[r].begin < end; ++r) {
      words[i] |= word_of(runs[r], tile);
    }
  }
}

bool allows_all(const BoundPattern& pattern, const kernels::AttentionSizes& sizes) {
  if (sizes.batch == 0 || sizes.queries == 0 || sizes.keys == 0) return true;
  const std::size_t batch = pattern.alike_in_batch() ? 1 : sizes.batch;
  const std::size_t heads = pattern.alike_in_heads() ? 1 : sizes.heads;
  for (std::size_t b = 0; b < batch; ++b) {
    for (std::size_t h = 0; h < heads; ++h) {
      const TileCover cover = pattern.classify(
          signed_of(b), signed_of(h), {0, signed_of(sizes.queries)}, {0, signed_of(sizes.keys)});
      if (cover != TileCover::full) return false;
    }
  }
  return true;
}

}  // namespace heed::attention
