// SPDX-License-Identifier: Apache-2.0
// A mask as a C++ callable: asked tile by tile which keys may be seen, like the written patterns.
//
//   // Even queries see all keys, odd ones only keys in front of them.
//   const auto mask = own_pattern([](const MaskTile& tile) {
//     for (std::int64_t r = 0; r < tile.rows; ++r) {
//       for (std::int64_t c = 0; c < tile.columns; ++c) {
//         tile.row(r)[c] = (tile.query + r) % 2 == 0 || tile.key + c <= tile.query + r;
//       }
//     }
//   });
//   mechanism.attend(query, memory, {}, {.pattern = mask});
#pragma once  // public header

#include <functional>
#include <memory>

#include "heed/attention/pattern.h"

#pragma GCC visibility push(default)  // exported

namespace heed::attention {

// Room for one answer per query and key: non-zero where the query at position `query + r` may see
// key `key + c`. Heads are those of the whole mechanism.
struct MaskTile {
  std::uint8_t* allowed;  // [rows, columns]
  std::int64_t rows;
  std::int64_t columns;
  std::int64_t batch;
  std::int64_t head;
  std::int64_t query;
  std::int64_t key;

  std::uint8_t* row(std::int64_t r) const { return allowed + r * columns; }
};

// `fill` is called once per tile, from several threads at once, and must give one answer to one
// question. What it throws reaches the caller of attend or of backward.
std::shared_ptr<const Pattern> own_pattern(std::function<void(const MaskTile&)> fill);

}  // namespace heed::attention

#pragma GCC visibility pop
