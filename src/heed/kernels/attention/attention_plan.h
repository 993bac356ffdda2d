// SPDX-License-Identifier: Apache-2.0
// What a mask leaves of the work: for a block of queries the tiles of keys to visit, all others
// being skipped, and for a
// strip of its rows the panels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "heed/kernels/attention/attention.h"

namespace heed::kernels {

// Panels [begin, end) next to each other.
struct PanelSpan {
  std::size_t begin;
  std::size_t end;
};

// A panel some of whose keys some rows may not see.
struct MaskedPanel {
  std::size_t panel;
  const std::uint64_t* words;  // one per row of the strip
  unsigned shift;              // bit `shift` of a word is the panel's first key
};

struct StripPlan {
  std::vector<PanelSpan> spans;
  std::vector<MaskedPanel> masked;
};

// The keys a block of queries visits. Reused from block to block, it allocates nothing in the end.
class BlockPlan {
 public:
  // Rows [range.query_begin, range.query_end) over keys [range.key_begin, range.key_end), key_begin
  // a multiple of kMaskKeys; `keys` is the length of the whole memory. No mask: every key.
  void make(const KeyMask* mask, const TileRange& range, std::size_t keys);
  bool empty() const { return segments_.empty(); }
  // Whether some row sees some of the keys [key_begin, key_end), tiles taken as wholes.
  bool visits(std::size_t key_begin, std::size_t key_end) const;

  // Rows [first_row, first_row + rows) of the block over its keys [key_begin, key_end): panels of
  // `columns` keys, counted from key 0. columns divides kMaskKeys.
  void strip(std::size_t first_row, std::size_t rows, std::size_t key_begin, std::size_t key_end,
             std::size_t columns, StripPlan& plan) const;

 private:
  // Tiles of kMaskKeys keys from begin to end, all seen by every row, or one tile with words.
  struct Segment {
    std::size_t begin;
    std::size_t end;
    std::size_t words;  // index of the words of its rows, or kNone
  };
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  std::vector<Segment>::const_iterator first_behind(std::size_t key) const;
  void split(const KeyMask* mask, TileRange tile);
  void add_full(std::size_t begin, std::size_t end);

  std::size_t rows_ = 0;
  std::vector<Segment> segments_;
  std::vector<std::size_t> mixed_tiles_;
  std::vector<std::uint64_t> row_words_;
  std::vector<std::uint64_t> words_;  // [mixed tile, row]
};

}  // namespace heed::kernels
