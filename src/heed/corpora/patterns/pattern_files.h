// SPDX-License-Identifier: Apache-2.0
// Patterns for associative memories: pictures of bits or numbers, built in or from files.
//
//   A:          a name, if it shall have one
//   .##.        # and X are ink, . is ground, ? is unknown; or 1, 0 and ?
//   #..#
//
//   1 -1 0.5    or numbers, apart by spaces or commas; patterns are apart by an empty line
//
// Pictures as images/image_file.h reads them and IDX files of many pictures (MNIST) are known by
// their first bytes; any of them may be gz. What is coloured becomes grey.
#pragma once  // public header

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#pragma GCC visibility push(default)  // exported

namespace heed::corpora {

struct PicturePattern {
  std::string name{};
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::vector<double> values{};  // row by row; ink is 1, ground -1, unknown 0

  bool operator==(const PicturePattern&) const = default;
};

// What files may hold: more is a file of another kind.
inline constexpr std::int64_t kMostPatternUnits = 1 << 20;    // of one
inline constexpr std::int64_t kMostPatternNumbers = 1 << 26;  // of all

// Every pattern of a file, and only the first `most` pictures of an IDX file, 0 being all. Greys of
// pictures run from -1 to 1. DataError with name and line, or byte of a raw picture, for what is no
// pattern, for rows of different lengths and for patterns of different sizes.
std::vector<PicturePattern> read_patterns(const std::filesystem::path& path, std::int64_t most = 0);

// Ten pictures of 8 by 8.
const std::vector<PicturePattern>& built_in_patterns();

}  // namespace heed::corpora

#pragma GCC visibility pop
