// SPDX-License-Identifier: Apache-2.0
// Pictures with what is said of them: a caption whose words are linked to regions, and questions
// with their answers and the regions that decide them.
#pragma once  // public header

#include <cstdint>
#include <string>
#include <vector>

#include "heed/images/image.h"
#include "heed/images/image_set.h"

#pragma GCC visibility push(default)  // exported

namespace heed::corpora {

// Pixels of a picture, from `begin` to before `end`, numbered row after row.
struct PixelRun {
  std::int32_t begin = 0;
  std::int32_t end = 0;
  bool operator==(const PixelRun&) const = default;
};

struct Region {
  std::string name{};            // "large red circle"
  images::Box box{};             // around its pixels
  std::vector<PixelRun> mask{};  // ascending, none next to another
  bool operator==(const Region&) const = default;

  std::int64_t area() const;
  // Of each cell of a grid over the picture the part that the region covers, row after row.
  std::vector<double> shares(std::int64_t height, std::int64_t width, std::int64_t rows,
                             std::int64_t columns) const;
};

struct PictureQuestion {
  std::string kind{};          // "colour"
  std::string question{};      // words that spaces separate
  std::string answer{};        // one word
  std::vector<int> regions{};  // that decide it, from 0; none: nothing in the picture does
  bool operator==(const PictureQuestion&) const = default;
};

struct Pictured {
  std::string caption{};                  // words that spaces separate; empty: none
  std::vector<std::vector<int>> links{};  // of each word the regions it speaks of; empty: unknown
  std::vector<Region> regions{};
  std::vector<PictureQuestion> questions{};
  bool operator==(const Pictured&) const = default;
};

// Picture i is said to be of[i]; labels of the images have no meaning.
struct PictureSet {
  images::ImageSet images{};
  std::vector<Pictured> of{};

  std::int64_t size() const { return static_cast<std::int64_t>(of.size()); }
};

// A mask pixel by pixel as runs.
std::vector<PixelRun> runs_of(const std::vector<bool>& mask);

}  // namespace heed::corpora

#pragma GCC visibility pop
