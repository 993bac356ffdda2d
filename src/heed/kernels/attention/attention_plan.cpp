// SPDX-License-Identifier: Apache-2.0
// Tiles are found by halving: a window in a long memory costs a few questions, not one per tile.
#include "heed/kernels/attention/attention_plan.h"

#include <algorithm>

namespace heed::kernels {
namespace {

constexpr std::uint64_t low_bits(std::size_t n) {
  return n >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << n) - 1;
}

}  // namespace

void BlockPlan::add_full(std::size_t begin, std::size_t end) {
  if (!segments_.empty() && segments_.back().end == begin && segments_.back().words == kNone) {
    segments_.back().end = end;
  } else {
    segments_.push_back({begin, end, kNone});
  }
}

void BlockPlan::split(const KeyMask* mask, TileRange tile) {
  switch (mask->classify(tile)) {
    case TileCover::empty:
      return;
    case TileCover::full:
      return add_full(tile.key_begin, tile.key_end);
    case TileCover::mixed:
      break;
  }
  const std::size_t tiles = (tile.key_end - tile.key_begin + kMaskKeys - 1) / kMaskKeys;
  if (tiles == 1) {
    segments_.push_back({tile.key_begin, tile.key_end, mixed_tiles_.size()});
    mixed_tiles_.push_back(tile.key_begin);
    return;
  }
  const std::size_t middle = tile.key_begin + tiles / 2 * kMaskKeys;
  TileRange right = tile;
  tile.key_end = middle;
  right.key_begin = middle;
  split(mask, tile);
  split(mask, right);
}

void BlockPlan::make(const KeyMask* mask, const TileRange& range, std::size_t keys) {
  rows_ = range.query_end - range.query_begin;
  segments_.clear();
  mixed_tiles_.clear();
  if (range.key_begin >= range.key_end || rows_ == 0) return;
  if (mask == nullptr) {
    add_full(range.key_begin, range.key_end);
  } else {
    split(mask, range);
  }
  // A panel at the end of the memory is filled up with keys that do not exist: one tile with words.
  if (!segments_.empty() && segments_.back().words == kNone && segments_.back().end == keys &&
      keys % kMaskKeys != 0) {
    const std::size_t last = keys / kMaskKeys * kMaskKeys;
    segments_.back().end = last;
    if (segments_.back().begin >= last) segments_.pop_back();
    segments_.push_back({last, keys, mixed_tiles_.size()});
    mixed_tiles_.push_back(last);
  }
  const std::size_t count = mixed_tiles_.size();
  if (count == 0) return;
  words_.resize(count * rows_);
  row_words_.resize(count);
  for (std::size_t r = 0; r < rows_; ++r) {
    if (mask == nullptr) {
      row_words_[0] = low_bits(keys - mixed_tiles_[0]);
    } else {
      mask->allowed(range.batch, range.head, range.query_begin + r, mixed_tiles_,
                    row_words_.data());
    }
    for (std::size_t i = 0; i < count; ++i) words_[i * rows_ + r] = row_words_[i];
  }
}

// The first segment that ends after `key`.
std::vector<BlockPlan::Segment>::const_iterator BlockPlan::first_behind(std::size_t key) const {
  return std::partition_point(segments_.begin(), segments_.end(),
                              [&](const Segment& segment) { return segment.end <= key; });
}

bool BlockPlan::visits(std::size_t key_begin, std::size_t key_end) const {
  const auto segment = first_behind(key_begin);
  return segment != segments_.end() && segment->begin < key_end;
}

void BlockPlan::strip(std::size_t first_row, std::size_t rows, std::size_t key_begin,
                      std::size_t key_end, std::size_t columns, StripPlan& plan) const {
  plan.spans.clear();
  plan.masked.clear();
  const auto add = [&](std::size_t begin, std::size_t end) {
    if (!plan.spans.empty() && plan.spans.back().end == begin) {
      plan.spans.back().end = end;
    } else {
      plan.spans.push_back({begin, end});
    }
  };
  for (auto segment = first_behind(key_begin);
       segment != segments_.end() && segment->begin < key_end; ++segment) {
    const std::size_t begin = std::max(segment->begin, key_begin);
    const std::size_t end = std::min(segment->end, key_end);
    if (segment->words == kNone) {
      add(begin / columns, (end + columns - 1) / columns);
      continue;
    }
    const std::uint64_t* words = words_.data() + segment->words * rows_ + first_row;
    std::uint64_t any = 0, all = ~std::uint64_t{0};
    for (std::size_t r = 0; r < rows; ++r) {
      any |= words[r];
      all &= words[r];
    }
    if (any == 0) continue;
    for (std::size_t key = begin; key < end; key += columns) {
      const auto shift = static_cast<unsigned>(key - segment->begin);
      if (((any >> shift) & low_bits(columns)) == 0) continue;
      add(key / columns, key / columns + 1);
      if (((all >> shift) & low_bits(columns)) != low_bits(columns)) {
        plan.masked.push_back({key / columns, words, shift});
      }
    }
  }
}

}  // namespace heed::kernels
