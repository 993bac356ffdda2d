// SPDX-License-Identifier: Apache-2.0
// Sizes by hand.
#include "heed/images/resize.h"

#include <gtest/gtest.h>

#include <numeric>

#include "heed/base/error.h"
#include "heed/base/testing.h"

namespace heed::images {
namespace {

Image ramp(std::int64_t height, std::int64_t width) {
  Image image = Image::filled(height, width);
  std::iota(image.pixels.begin(), image.pixels.end(), 0.0f);
  return image;
}

TEST(Resized, IsTheMeanOfWhatAPixelCovers) {
  EXPECT_EQ(resized(ramp(2, 4), 1, 2).pixels, (std::vector<float>{2.5, 4.5}));
  // 3 to 2: each new pixel covers one old one and half of the middle one.
  EXPECT_FLOAT_EQ(resized(ramp(1, 3), 1, 2).pixels[0], 1.0f / 3);
  EXPECT_FLOAT_EQ(resized(ramp(1, 3), 1, 2).pixels[1], 5.0f / 3);
}

TEST(Resized, IsBilinearBetweenCentresWhenItGrows) {
  EXPECT_EQ(resized(ramp(1, 2), 1, 4).pixels, (std::vector<float>{0, 0.25, 0.75, 1}));
  EXPECT_EQ(resized(Image::filled(1, 1, 3, 0.5f), 5, 7), Image::filled(5, 7, 3, 0.5f));
}

TEST(Resized, KeepsTheMeanOfAnImageThatShrinks) {
  const Image image = ramp(13, 11), small = resized(image, 4, 3);
  const auto mean = [](const Image& x) {
    return std::accumulate(x.pixels.begin(), x.pixels.end(), 0.0) /
           static_cast<double>(x.pixels.size());
  };
  EXPECT_NEAR(mean(image), mean(small), 1e-4);
}

TEST(Resized, WeighsByTrianglesThatGrowAsTheImageShrinks) {
  const auto row = [](std::int64_t from, std::int64_t to) {
    return resized(ramp(1, from), 1, to, Sampling::triangle).pixels;
  };
  EXPECT_EQ(row(2, 4), (std::vector<float>{0, 0.25, 0.75, 1})) << "bilinear";
  // 4 to 2: the triangle over [-1, 3] has 3/4, 3/4 and 1/4 at the centres of three pixels.
  EXPECT_FLOAT_EQ(row(4, 2)[0], (0.75f + 2 * 0.25f) / 1.75f);
  EXPECT_FLOAT_EQ(row(4, 2)[1], 3 - (0.75f + 2 * 0.25f) / 1.75f);
}

TEST(Resized, KeepsChannelsApart) {
  Image image = Image::filled(2, 2, 3);
  for (std::int64_t i = 0; i < 4; ++i) image.at(i / 2, i % 2, 1) = 1;
  const Image large = resized(image, 5, 5);
  EXPECT_EQ(large.at(3, 3, 0), 0);
  EXPECT_FLOAT_EQ(large.at(3, 3, 1), 1);
}

TEST(Fitted, StretchesNothing) {
  const Image fit = fitted(Image::filled(2, 4, 1, 1), 8, 8, 0.25f);
  EXPECT_EQ(fit.at(1, 4), 0.25f);
  EXPECT_EQ(fit.at(2, 0), 1);
  EXPECT_EQ(fit.at(5, 7), 1);
  EXPECT_EQ(fit.at(6, 0), 0.25f);
}

TEST(Cropped, IsAPartOfTheImage) {
  EXPECT_EQ(cropped(ramp(3, 4), {.left = 1, .top = 1, .right = 3, .bottom = 3}).pixels,
            (std::vector<float>{5, 6, 9, 10}));
  EXPECT_EQ(test::message_of<UsageError>(
                [] { cropped(ramp(3, 4), {.left = 1, .top = 1, .right = 5, .bottom = 3}); }),
            "a box from 1, 1 to 5, 3 of an image of 4 x 3, 1 channel; it must lie within");
}

}  // namespace
}  // namespace heed::images
