// SPDX-License-Identifier: Apache-2.0
// Strips of written digits: pictures of single digits from IDX files (MNIST), side by side, with 4
// columns of overlap up to 8 of ground between them. Ink is 1, ground 0; a frame is a column.
#pragma once  // public header

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "heed/corpora/strips/strips.h"

#pragma GCC visibility push(default)  // exported

namespace heed::corpora {

inline constexpr std::string_view kDigitAlphabet = "0123456789";

struct DigitSet {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::vector<std::uint8_t> pixels{};  // picture after picture, row by row
  std::vector<std::uint8_t> labels{};

  std::int64_t size() const { return static_cast<std::int64_t>(labels.size()); }
  // Those from `first` to before `last`.
  DigitSet slice(std::int64_t first, std::int64_t last) const;
};

// Files of pictures and of their labels, plain or gz. DataError with file and place for what is no
// IDX file, for sizes that its bytes do not have, for labels above 9 and for files of different
// numbers.
DigitSet read_digits(const std::filesystem::path& images, const std::filesystem::path& labels);
// The same of bytes in memory, with the names they are called by.
struct NamedBytes {
  std::string_view bytes{};
  std::string name{};
};
DigitSet parse_digits(const NamedBytes& images, const NamedBytes& labels);

// Columns of so many digits side by side, each over as much of the one before as may be.
std::int64_t narrowest_strip(const DigitSet& digits, std::int64_t count);
// UsageError for a set without digits.
std::vector<Strip> draw_digit_strips(const DigitSet& digits, const DrawnStrips& wanted);

}  // namespace heed::corpora

#pragma GCC visibility pop
