// SPDX-License-Identifier: Apache-2.0
// A cell's character follows from the ways that lines leave it.
#include "heed/insight/terminal/box_lines.h"

#include <algorithm>
#include <array>

namespace heed::insight {
namespace {

constexpr unsigned kUp = 1, kDown = 2, kLeft = 4, kRight = 8;

// By the sum of the ways.
constexpr std::array<std::string_view, 16> kSigns = {" ", "│", "│", "│", "─", "╯", "╮", "┤",
                                                     "─", "╰", "╭", "├", "─", "┴", "┬", "┼"};

}  // namespace

BoxLines::BoxLines(std::size_t rows, std::size_t columns)
    : columns_(columns), cells_(rows * columns) {}

void BoxLines::across(std::size_t row, std::size_t from, std::size_t to) {
  for (std::size_t i = std::min(from, to); i < std::max(from, to); ++i) {
    at(row, i).ways |= kRight;
    at(row, i + 1).ways |= kLeft;
  }
}

void BoxLines::down(std::size_t column, std::size_t from, std::size_t to) {
  for (std::size_t i = std::min(from, to); i < std::max(from, to); ++i) {
    at(i, column).ways |= kDown;
    at(i + 1, column).ways |= kUp;
  }
}

void BoxLines::mark(std::size_t row, std::size_t column, std::string_view sign) {
  at(row, column).sign = sign;
}

std::string BoxLines::text(std::size_t row) const {
  std::string text;
  for (std::size_t column = 0; column < columns_; ++column) {
    const Cell& cell = cells_[row * columns_ + column];
    text += cell.sign.empty() ? kSigns[cell.ways] : cell.sign;
  }
  return text;
}

}  // namespace heed::insight
