// SPDX-License-Identifier: Apache-2.0
#include "heed/images/pixel_rows.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/base/testing.h"

namespace heed::images {
namespace {

ImageSet two_images() {
  return {.rows = 2,
          .columns = 2,
          .pixels = {0, 127, 128, 255, 1, 2, 3, 4},
          .labels = {1, 0},
          .names = {"no", "yes"}};
}

TEST(PixelRows, AreRowsOfNumbersBehindALabel) {
  EXPECT_EQ(pixel_rows(two_images()), "yes\t0 127 128 255\nno\t1 2 3 4\n");
  EXPECT_EQ(pixel_rows(two_images(), {.levels = 2}), "yes\t0 0 1 1\nno\t0 0 0 0\n");
  EXPECT_EQ(pixel_rows(two_images(), {.levels = 16}), "yes\t0 7 8 15\nno\t0 0 0 0\n");
}

TEST(PixelRows, HaveTheChannelsOfAPixelSideBySide) {
  const ImageSet set{.rows = 1,
                     .columns = 2,
                     .channels = 3,
                     .pixels = {1, 2, 3, 4, 5, 6},
                     .labels = {0},
                     .names = {"red"}};
  EXPECT_EQ(pixel_rows(set), "red\t1 2 3 4 5 6\n");
}

TEST(PixelRows, RefuseWhatATableCannotHold) {
  ImageSet set = two_images();
  EXPECT_EQ(test::message_of<UsageError>([&] { pixel_rows(set, {.levels = 1}); }),
            "pixels: 1 levels; it takes 2 to 256");
  set.names[0] = "n\to";
  EXPECT_EQ(test::message_of<UsageError>([&] { pixel_rows(set); }),
            "pixels: the label \"n\to\" holds a tab or a line break; rename it");
}

}  // namespace
}  // namespace heed::images
