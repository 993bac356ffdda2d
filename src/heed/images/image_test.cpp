// SPDX-License-Identifier: Apache-2.0
// Layout of images, bytes and channels.
#include "heed/images/image.h"

#include <gtest/gtest.h>

#include <limits>

#include "heed/base/error.h"
#include "heed/base/testing.h"

namespace heed::images {
namespace {

TEST(Image, HasTheChannelsOfAPixelSideBySide) {
  Image image = Image::filled(2, 3, 3);
  image.at(1, 2, 1) = 0.5;
  EXPECT_EQ(image.pixels.size(), 18u);
  EXPECT_EQ(image.pixels[(1 * 3 + 2) * 3 + 1], 0.5);
  EXPECT_EQ(image.size_text(), "3 x 2, 3 channels");
}

TEST(Image, ComesBackFromItsBytes) {
  std::vector<std::uint8_t> bytes(256);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(i);
  EXPECT_EQ(Image::of_bytes(16, 16, 1, bytes).bytes(), bytes);
  EXPECT_EQ(Image::of_bytes(16, 16, 1, bytes).pixels[255], 1);
}

TEST(Image, HoldsWhatIsNoShadeBetweenBlackAndWhite) {
  Image image = Image::filled(1, 4);
  image.pixels = {-1, 7, std::numeric_limits<float>::quiet_NaN(), 0.5f};
  EXPECT_EQ(image.bytes(), (std::vector<std::uint8_t>{0, 255, 0, 128}));
}

TEST(Image, IsGreyAsTheEyeWeighsColours) {
  Image colour = Image::filled(1, 2, 3);
  colour.pixels = {1, 0, 0, 0, 1, 1};
  const Image grey = with_channels(colour, 1);
  EXPECT_FLOAT_EQ(grey.pixels[0], 0.299f);
  EXPECT_FLOAT_EQ(grey.pixels[1], 0.701f);
  EXPECT_EQ(with_channels(grey, 3).at(0, 1, 2), grey.pixels[1]);
  EXPECT_EQ(with_channels(colour, 3), colour);
}

TEST(Image, RefusesSizesItCannotHave) {
  EXPECT_EQ(test::message_of<UsageError>([] { Image::filled(0, 3); }),
            "an image of 3 x 0 pixels and 1 channels; it takes 1 or more, with 1 or 3");
  EXPECT_EQ(test::message_of<UsageError>([] { Image::of_bytes(2, 2, 1, {}); }),
            "0 bytes for an image of 2 x 2 pixels and 1 channels; it takes 4");
  EXPECT_THROW(with_channels(Image::filled(1, 1), 2), UsageError);
}

}  // namespace
}  // namespace heed::images
