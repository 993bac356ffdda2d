// SPDX-License-Identifier: Apache-2.0
// Sets of images of one size.
#include "heed/images/image_set.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/base/testing.h"

namespace heed::images {
namespace {

TEST(ImageSet, GivesBackTheImagesItWasGiven) {
  ImageSet set;
  set.add(Image::filled(2, 3, 3, 1), 4);
  set.add(Image::filled(2, 3, 3, 0), 1);
  EXPECT_EQ(set.size(), 2);
  EXPECT_EQ(set.image(0), Image::filled(2, 3, 3, 1));
  EXPECT_EQ(set.slice(1, 2).labels, (std::vector<int>{1}));
  EXPECT_EQ(set.slice(1, 2).image(0), Image::filled(2, 3, 3, 0));
}

TEST(ImageSet, TakesImagesOfOneSize) {
  ImageSet set;
  set.add(Image::filled(2, 3), 0);
  EXPECT_EQ(test::message_of<UsageError>([&] { set.add(Image::filled(3, 3), 0); }),
            "an image of 3 x 3, 1 channel for a set of 3 x 2, 1 channels; resize it");
}

}  // namespace
}  // namespace heed::images
