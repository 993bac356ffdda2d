// SPDX-License-Identifier: Apache-2.0
// Box lines: lines across and down on a grid of characters, joined where they meet.
//
//   ╭───╮ ●
//   ▼   │ ▼
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace heed::insight {

class BoxLines {
 public:
  BoxLines(std::size_t rows, std::size_t columns);

  // From one cell of the row, or of the column, to another, in either order.
  void across(std::size_t row, std::size_t from, std::size_t to);
  void down(std::size_t column, std::size_t from, std::size_t to);
  // A character of one column in place of lines.
  void mark(std::size_t row, std::size_t column, std::string_view sign);

  // All columns of the row.
  std::string text(std::size_t row) const;

 private:
  struct Cell {
    unsigned ways = 0;  // where lines leave it to: a sum of kUp, kDown, kLeft and kRight
    std::string_view sign = {};
  };
  Cell& at(std::size_t row, std::size_t column) { return cells_[row * columns_ + column]; }

  std::size_t columns_;
  std::vector<Cell> cells_;
};

}  // namespace heed::insight
