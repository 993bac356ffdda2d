// SPDX-License-Identifier: Apache-2.0
// window_2d: a query sees the cells of a grid around its own.
#include "heed/attention/patterns/run_list.h"

#include <algorithm>

#include "heed/attention/pattern.h"

namespace heed::attention {
namespace {

// Positions below `tokens` are no cells, but tokens in front that see and are seen by all; cell n
// of the grid lies in row n / columns. A last row may be cut short.
struct CellGrid {
  std::int64_t columns;
  std::int64_t radius;
  std::int64_t tokens;

  std::int64_t row(std::int64_t position) const { return (position - tokens) / columns; }
};

class BoundWindow2d final : public BoundPattern {
 public:
  BoundWindow2d(const PatternCall& call, const CellGrid& grid)
      : first_query_(call.first_query), keys_(call.keys), grid_(grid) {}

  TileCover classify(std::int64_t, std::int64_t, Range queries, Range keys) const override {
    RunList seen;
    runs(0, 0, queries.begin, seen);
    TileCover all = cover(seen, keys);
    for (std::int64_t query = queries.begin + 1; query < queries.end; ++query) {
      if (all == TileCover::mixed) break;
      runs(0, 0, query, seen);
      all = together(all, cover(seen, keys));
    }
    return all;
  }

  void runs(std::int64_t, std::int64_t, std::int64_t query,
            std::vector<KeyRun>& runs) const override {
    runs.clear();
    const std::int64_t position = first_query_ + query;
    if (position < grid_.tokens) return append_run(runs, {0, keys_, 1});
    append_run(runs, {0, std::min(keys_, grid_.tokens), 1});
    const std::int64_t row = grid_.row(position);
    const std::int64_t column = position - grid_.tokens - row * grid_.columns;
    const std::int64_t left = std::max<std::int64_t>(0, column - grid_.radius);
    const std::int64_t right = std::min(grid_.columns, column + grid_.radius + 1);
    const std::int64_t first = std::max<std::int64_t>(0, row - grid_.radius);
    for (std::int64_t y = first; y <= row + grid_.radius; ++y) {
      const std::int64_t begin = grid_.tokens + y * grid_.columns;
      if (begin + left >= keys_) return;
      append_run(runs, {begin + left, std::min(keys_, begin + right), 1});
    }
  }
  bool alike_in_batch() const override { return true; }
  bool alike_in_heads() const override { return true; }

 private:
  std::int64_t first_query_;
  std::int64_t keys_;
  CellGrid grid_;
};

struct Window2d {
  std::int64_t columns = 8;
  std::int64_t radius = 1;
  std::int64_t tokens = 0;

  static Card card() {
    return {.name = "window_2d",
            .summary =
                "Positions are the cells of a grid, row by row; a query sees the square of cells "
                "around its own, and tokens in front of the grid, which see everything.",
            .formula = "|row(i) - row(j)| ≤ r, |column(i) - column(j)| ≤ r, or i < t, or j < t",
            .source = "Parmar et al. 2018 (Image Transformer), a window around each cell",
            .examples = {"columns=3", "columns=4, radius=2, tokens=1"}};
  }
  void declare(Options& options) {
    options.add("columns", columns, "cells of a row of the grid").range(1, 1 << 20);
    options.add("radius", radius, "cells seen on each side").range(0, 1 << 20);
    options.add("tokens", tokens, "positions before the first cell, such as a class token")
        .range(0, 1 << 20);
  }
  std::unique_ptr<BoundPattern> bind(const PatternCall& call) const {
    return std::make_unique<BoundWindow2d>(call, CellGrid{columns, radius, tokens});
  }
};

const ListedPattern<Window2d> kListed;

}  // namespace
}  // namespace heed::attention
