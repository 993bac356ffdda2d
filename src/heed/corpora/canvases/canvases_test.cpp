// SPDX-License-Identifier: Apache-2.0
// Canvases: what lies where, how places are spread, what clutter adds, and what cannot be drawn.
#include "heed/corpora/canvases/canvases.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "heed/base/error.h"
#include "heed/base/testing.h"

namespace heed::corpora {
namespace {

// `count` images of side x side, image i all of the value 10 (i + 1), its label i.
images::ImageSet flat_set(int count, std::int64_t side) {
  images::ImageSet set{.rows = side, .columns = side};
  for (int i = 0; i < count; ++i) {
    set.pixels.insert(set.pixels.end(), static_cast<std::size_t>(side * side),
                      static_cast<std::uint8_t>(10 * (i + 1)));
    set.labels.push_back(i);
  }
  return set;
}

float ink(int label) {
  return static_cast<float>(10 * (label + 1)) / 255;
}

TEST(Canvases, HaveTheImageInItsBoxAndBlackAround) {
  const images::ImageSet set = flat_set(5, 6);
  for (const Canvas& canvas : fixed_canvases(set, 50, {.side = 20}, 1)) {
    ASSERT_EQ(canvas.labels.size(), 1u);
    const images::Box box = canvas.boxes[0];
    EXPECT_EQ(box.area(), 36);
    for (std::int64_t y = 0; y < 20; ++y) {
      for (std::int64_t x = 0; x < 20; ++x) {
        const float expected = box.contains(y, x) ? ink(canvas.labels[0]) : 0.F;
        ASSERT_EQ(canvas.image.at(y, x), expected) << y << " " << x;
      }
    }
  }
}

TEST(Canvases, PlaceImagesUniformly) {
  const images::ImageSet set = flat_set(1, 6);
  std::vector<int> across(15), down(15);
  for (const Canvas& canvas : fixed_canvases(set, 15000, {.side = 20}, 3)) {
    ++across[static_cast<std::size_t>(canvas.boxes[0].left)];
    ++down[static_cast<std::size_t>(canvas.boxes[0].top)];
  }
  for (std::size_t i = 0; i < 15; ++i) {  // 1000 each, deviation 31
    EXPECT_NEAR(across[i], 1000, 150) << i;
    EXPECT_NEAR(down[i], 1000, 150) << i;
  }
}

TEST(Canvases, AddPiecesOfOtherImagesAndClipThemAtOne) {
  images::ImageSet set = flat_set(2, 6);
  std::ranges::fill(set.pixels, std::uint8_t{200});
  int clipped = 0;
  for (const Canvas& canvas : fixed_canvases(set, 40, {.side = 14, .clutter = 3, .piece = 4}, 2)) {
    const float one = 200.F / 255;
    std::int64_t outside = 0;
    for (std::int64_t y = 0; y < 14; ++y) {
      for (std::int64_t x = 0; x < 14; ++x) {
        const float value = canvas.image.at(y, x);
        if (canvas.boxes[0].contains(y, x)) {
          EXPECT_TRUE(value == one || value == 1.F) << value;
          clipped += value == 1.F;
        } else {
          outside += value > 0;
        }
      }
    }
    EXPECT_LE(outside, 3 * 16);
  }
  EXPECT_GT(clipped, 0) << "added, not pasted";
  // The pieces are of images that are not shown: with labels for values, none has the shown one's.
  const images::ImageSet flat = flat_set(2, 6);
  for (const Canvas& canvas : fixed_canvases(flat, 20, {.side = 40, .clutter = 2, .piece = 3}, 2)) {
    std::set<float> values;
    for (std::int64_t y = 0; y < 40; ++y) {
      for (std::int64_t x = 0; x < 40; ++x) {
        if (!canvas.boxes[0].contains(y, x)) values.insert(canvas.image.at(y, x));
      }
    }
    EXPECT_FALSE(values.contains(ink(canvas.labels[0])));
  }
}

// 27% of the centres of pieces of 8 on 60 x 60 lie in the digit's box: places of pieces and digits
// are both uniform, and those in the middle are under most digits.
TEST(Canvases, HideAQuarterOfTheClutterUnderTheDigit) {
  images::ImageSet set{.rows = 28, .columns = 28};
  set.pixels.assign(2 * 784, 0);
  std::fill(set.pixels.begin() + 784, set.pixels.end(), std::uint8_t{255});
  set.labels = {0, 1};  // a black digit, and white pieces on it
  int inside = 0, all = 0;
  for (int i = 0; i < 4000; ++i) {
    const Canvas canvas = draw_canvas(set, 0, {.side = 60, .clutter = 1},
                                      canvas_random(5, 0, static_cast<unsigned>(i)));
    std::int64_t top = 60, left = 60;
    for (std::int64_t y = 59; y >= 0; --y) {
      for (std::int64_t x = 59; x >= 0; --x) {
        if (canvas.image.at(y, x) <= 0) continue;
        top = y;
        left = std::min(left, x);
      }
    }
    inside += canvas.boxes[0].contains(top + 4, left + 4);
    ++all;
  }
  EXPECT_NEAR(static_cast<double>(inside) / all, .27, .025);
}

TEST(Canvases, WithSeveralDigitsNameThemFromTheLeftAndKeepThemApart) {
  const images::ImageSet set = flat_set(9, 5);
  int first = 0;
  for (int i = 0; i < 300; ++i) {
    const Canvas canvas = draw_canvas(set, i % 9, {.side = 16, .digits = 3},
                                      canvas_random(4, 2, static_cast<unsigned>(i)));
    ASSERT_EQ(canvas.labels.size(), 3u);
    EXPECT_EQ(std::set<int>(canvas.labels.begin(), canvas.labels.end()).size(), 3u);
    EXPECT_NE(std::ranges::find(canvas.labels, i % 9), canvas.labels.end());
    first += canvas.labels[0] == i % 9;
    for (std::size_t d = 0; d < 3; ++d) {
      const images::Box box = canvas.boxes[d];
      EXPECT_EQ(canvas.image.at(box.top, box.left), ink(canvas.labels[d]));
      EXPECT_EQ(canvas.image.at(box.bottom - 1, box.right - 1), ink(canvas.labels[d]));
      if (d > 0) {
        EXPECT_GE(box.left, canvas.boxes[d - 1].left);
      }
    }
  }
  EXPECT_NEAR(first, 100, 40) << "the image asked for is in any place";
}

TEST(Canvases, FindRoomOnACanvasThatIsFull) {
  const images::ImageSet set = flat_set(4, 5);
  const Canvas canvas = draw_canvas(set, 0, {.side = 10, .digits = 4}, canvas_random(1, 0, 0));
  for (const float value : canvas.image.pixels) EXPECT_GT(value, 0);
}

TEST(Canvases, AreAFunctionOfSeedEpochAndNumber) {
  const images::ImageSet set = flat_set(7, 6);
  const CanvasOptions options{.side = 40, .clutter = 2, .piece = 3};
  const auto drawn = [&](std::uint64_t seed, std::uint64_t epoch, std::uint64_t number) {
    return draw_canvas(set, 3, options, canvas_random(seed, epoch, number)).image;
  };
  EXPECT_EQ(drawn(1, 2, 3), drawn(1, 2, 3));
  EXPECT_NE(drawn(1, 2, 3), drawn(2, 2, 3));
  EXPECT_NE(drawn(1, 2, 3), drawn(1, 3, 3)) << "fresh for every epoch";
  EXPECT_NE(drawn(1, 2, 3), drawn(1, 2, 4));
  const auto kept = fixed_canvases(set, 9, options, 1),
             longer = fixed_canvases(set, 12, options, 1);
  for (std::size_t i = 0; i < kept.size(); ++i) EXPECT_EQ(kept[i].image, longer[i].image);
}

TEST(Canvases, ShowEachImageOnceInAnEpochInAnotherOrder) {
  const images::ImageSet set = flat_set(12, 3);
  const auto order = canvas_order(set, 1, 0);
  EXPECT_EQ(std::set<std::int64_t>(order.begin(), order.end()).size(), 12u);
  EXPECT_EQ(order, canvas_order(set, 1, 0));
  EXPECT_NE(order, canvas_order(set, 1, 1));
}

TEST(Canvases, OfSideZeroAreTheImagesThemselves) {
  const images::ImageSet set = flat_set(3, 6);
  const Canvas canvas = draw_canvas(set, 2, {.side = 0}, canvas_random(1, 0, 0));
  EXPECT_EQ(canvas.image, set.image(2));
  EXPECT_EQ(canvas.boxes[0].area(), 36);
}

TEST(Canvases, RefuseWhatTheyCannotHold) {
  const images::ImageSet set = flat_set(3, 6);
  const auto refused = [&](const CanvasOptions& options) {
    return test::message_of<UsageError>([&] { check_canvases(set, options); });
  };
  EXPECT_EQ(refused({.side = 5}),
            "canvases: 5 x 5 has no room for 1 image of 6 x 6; take a side of 6");
  EXPECT_EQ(refused({.side = 11, .digits = 2}),
            "canvases: 11 x 11 has no room for 2 images of 6 x 6; take a side of 12");
  EXPECT_EQ(refused({.side = 20, .clutter = 1}),
            "canvases: pieces of 8 x 8 of images of 6 x 6; take 6 or less");
  EXPECT_EQ(refused({.side = 0, .clutter = 1}),
            "canvases: side 0 takes images as they are, without other digits and clutter; give a "
            "side, such as 12");
  EXPECT_EQ(refused({.digits = 0}),
            "canvases: a side of 60, 0 digits, 0 pieces of 8 x 8; it takes 1 digit or more and "
            "pieces of 1 x 1 or "
            "more");
  EXPECT_EQ(refused({.side = 1 << 20}), "canvases: a side of 1048576; 2048 at most");
  EXPECT_EQ(test::message_of<UsageError>([&] { check_canvases({}, {}); }),
            "canvases: there are no images to draw from");
  EXPECT_THROW(draw_canvas(set, 3, {.side = 20}, Random(1)), UsageError);
}

}  // namespace
}  // namespace heed::corpora
