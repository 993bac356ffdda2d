// SPDX-License-Identifier: Apache-2.0
// Words are measured as they will be drawn, and a row ends where the next one has no room.
#include "heed/insight/draw/word_rows.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace heed::insight {
namespace {

constexpr double kPadding = 6;  // inside a word's box
constexpr double kLongestWord = 160;

}  // namespace

TextStyle boxed_word(const Rgb& colour) {
  return {.size = 14, .colour = colour, .align = Align::middle, .room = kLongestWord};
}

std::vector<WordRow> word_rows(const std::vector<std::string>& words,
                               std::span<const std::size_t> chosen,
                               const WordRowsOptions& options) {
  std::vector<WordRow> rows(1);
  for (const std::size_t i : chosen) {
    const double width =
        std::max(options.least, std::ceil(text_size(words[i], boxed_word()).width) + 2 * kPadding);
    if (!rows.back().words.empty() && rows.back().width + width > options.widest) {
      rows.emplace_back();
    }
    WordRow& row = rows.back();
    row.words.push_back(i);
    row.boxes.push_back({row.width, 0, width, kBoxHeight});
    row.width += width + options.gap;
  }
  const bool from_right = reads_from_right(words);
  for (WordRow& row : rows) {
    row.width = std::max(0., row.width - options.gap);
    if (!from_right) continue;
    for (Box& box : row.boxes) box.x = row.width - box.x - box.width;
  }
  return rows;
}

std::vector<WordRow> word_rows(const std::vector<std::string>& words,
                               const WordRowsOptions& options) {
  std::vector<std::size_t> numbers(words.size());
  std::iota(numbers.begin(), numbers.end(), std::size_t{0});
  return word_rows(words, numbers, options);
}

void move_to(WordRow& row, double x, double y) {
  for (Box& box : row.boxes) {
    box.x += x;
    box.y = y;
  }
}

const Box* box_of(std::span<const WordRow> rows, std::size_t word) {
  for (const WordRow& row : rows) {
    const auto found = std::ranges::find(row.words, word);
    if (found != row.words.end()) {
      return &row.boxes[static_cast<std::size_t>(found - row.words.begin())];
    }
  }
  return nullptr;
}

double middle_of(const Box& box) {
  return box.x + box.width / 2;
}

void draw_words(Canvas& canvas, const WordRow& row, const std::vector<std::string>& words,
                const Rgb& ground) {
  for (std::size_t i = 0; i < row.words.size(); ++i) {
    const Box& box = row.boxes[i];
    canvas.fill_rounded(box, 5, ground);
    canvas.text({middle_of(box), box.y + box.height / 2}, words[row.words[i]],
                boxed_word(ink_on(ground)));
  }
}

}  // namespace heed::insight
