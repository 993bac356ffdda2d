// SPDX-License-Identifier: Apache-2.0
#include "heed/corpora/long_range/pathfinder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "heed/base/testing.h"
#include "heed/corpora/file_corpus.h"
#include "heed/images/idx.h"

namespace heed::corpora {
namespace {

struct Lit {
  int row, column;
  std::size_t group = 0;
};

// By the pixels alone: those nearer than the width of a gap are of one curve.
std::vector<Lit> grouped(const std::uint8_t* image, std::int64_t side) {
  std::vector<Lit> lit;
  for (int i = 0; i < side * side; ++i) {
    if (image[i] != 0) lit.push_back({i / int(side), i % int(side), lit.size()});
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (Lit& a : lit) {
      for (const Lit& b : lit) {
        if (std::hypot(a.row - b.row, a.column - b.column) > kPathfinderGap) continue;
        if (b.group < a.group) {
          a.group = b.group;
          changed = true;
        }
      }
    }
  }
  return lit;
}

// The group of each square of 3 x 3; squares that overlap are one dot.
std::set<std::pair<int, std::size_t>> dots(const std::vector<Lit>& lit) {
  const auto at = [&](int row, int column) {
    return std::ranges::any_of(
        lit, [&](const Lit& pixel) { return pixel.row == row && pixel.column == column; });
  };
  std::set<std::pair<int, std::size_t>> found;
  for (const Lit& middle : lit) {
    int count = 0;
    for (int row = -1; row <= 1; ++row) {
      for (int column = -1; column <= 1; ++column) {
        count += at(middle.row + row, middle.column + column);
      }
    }
    if (count == 9) found.insert({middle.row * 1000 + middle.column, middle.group});
  }
  return found;
}

TEST(Pathfinder, HasTheLabelsThatPixelsShow) {
  const images::ImageSet set = make_pathfinder({.seed = 1, .size = 100});
  EXPECT_EQ(set.rows, 32);
  EXPECT_EQ(std::accumulate(set.labels.begin(), set.labels.end(), 0), 50);
  for (std::int64_t i = 0; i < set.size(); ++i) {
    const std::vector<Lit> lit = grouped(set.image_data(i), 32);
    std::set<std::size_t> curves, ends;
    for (const Lit& pixel : lit) curves.insert(pixel.group);
    EXPECT_EQ(curves.size(), 4u) << "two long ones and two distractors, image " << i;
    for (const auto& [place, group] : dots(lit)) ends.insert(group);
    EXPECT_GE(dots(lit).size(), 2u);
    EXPECT_EQ(ends.size(), set.labels[static_cast<std::size_t>(i)] == 1 ? 1u : 2u) << i;
  }
}

TEST(Pathfinder, ShowsTheSameInBothKindsOfImages) {
  const images::ImageSet set = make_pathfinder({.seed = 2, .size = 400});
  double ink[2] = {};
  for (std::int64_t i = 0; i < set.size(); ++i) {
    const std::uint8_t* image = set.image_data(i);
    ink[set.labels[static_cast<std::size_t>(i)]] +=
        std::accumulate(image, image + set.image_bytes(), 0.0) / 255 / 200;
  }
  EXPECT_NEAR(ink[0], ink[1], 1.5) << "pixels that are lit, of " << ink[0];
}

TEST(Pathfinder, DependsOnSeedAndPart) {
  const auto pixels = [](std::uint64_t seed, std::uint64_t part) {
    return make_pathfinder({.seed = seed, .part = part, .size = 4}).pixels;
  };
  EXPECT_EQ(pixels(1, 0), pixels(1, 0));
  EXPECT_NE(pixels(1, 0), pixels(2, 0));
  EXPECT_NE(pixels(1, 0), pixels(1, 1));
}

TEST(Pathfinder, SaysWhereThereIsNoRoom) {
  Random random(1);
  EXPECT_EQ(test::message_of<UsageError>(
                [&] { draw_pathfinder(random, {.side = 16, .dashes = 9}, true); }),
            "pathfinder: 16 x 16 pixels have no room for two curves of 9 dashes and 2 distractors; "
            "give a larger side, or fewer of them");
  EXPECT_THROW(draw_pathfinder(random, {.side = 4}, true), UsageError);
}

TEST(Pathfinder, IsWrittenAsIdxFiles) {
  const test::TemporaryFolder folder;
  const FileCorpus& corpus = *find_file_corpus("pathfinder");
  EXPECT_EQ(corpus.write(folder.path(), {.size = 60, .settings = {"side=40"}}, Existing::refused),
            "train 57, valid 1, test 2 images as -images.idx and -labels.idx");
  const images::ImageSet set =
      images::read_idx(folder / "train-images.idx", folder / "train-labels.idx");
  EXPECT_EQ(set.size(), 57);
  EXPECT_EQ(set.rows, 40);
  EXPECT_EQ(test::message_of<UsageError>([&] {
              corpus.write(folder.path(), {.size = 60}, Existing::refused);
            }).substr(folder.path().string().size()),
            "/test-images.idx: is there already and holds something else; name another folder, or "
            "replace it with --force");
}

}  // namespace
}  // namespace heed::corpora
