// SPDX-License-Identifier: Apache-2.0
// Guesses by hand.
#include "heed/images/fill_in.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"

namespace heed::images {
namespace {

Image of_values(std::int64_t height, std::int64_t width, std::vector<float> values) {
  Image image = Image::filled(height, width);
  image.pixels = std::move(values);
  return image;
}

TEST(FilledIn, WeighsTheNearestOfFourSidesByDistance) {
  const Image image = of_values(1, 4, {.2f, 9, 9, .8f});
  const Image filled = filled_in(image, {false, true, true, false});
  // .2 at distance 1 and .8 at 2, then the other way about.
  EXPECT_FLOAT_EQ(filled.at(0, 1), (.2f + .4f) / 1.5f);
  EXPECT_FLOAT_EQ(filled.at(0, 2), (.1f + .8f) / 1.5f);
  EXPECT_EQ(filled.at(0, 0), .2f);
  const Image square = of_values(3, 3, {0, .1f, 0, .3f, 9, .5f, 0, .7f, 0});
  EXPECT_FLOAT_EQ(
      filled_in(square, {false, false, false, false, true, false, false, false, false}).at(1, 1),
      .4f);
}

TEST(FilledIn, TakesTheMeanWhereNoSideIsThere) {
  const Image image = of_values(2, 2, {.4f, .6f, 9, 9});
  // Above it is one pixel; the other has nothing beside it and nothing above.
  const Image filled = filled_in(of_values(2, 2, {.4f, 9, 9, 9}), {false, true, true, true});
  EXPECT_FLOAT_EQ(filled.at(1, 1), .4f);
  EXPECT_FLOAT_EQ(filled_in(image, {true, true, true, true}).at(0, 0), (.4f + .6f + 18) / 4);
}

TEST(FilledIn, LeavesAnEvenGroundAsItIs) {
  const Image even = Image::filled(4, 5, 3, .25f);
  std::vector<bool> some(20, false);
  for (const std::size_t i : {0, 3, 7, 8, 12, 13, 19}) some[i] = true;
  EXPECT_EQ(filled_in(even, some), even);
  EXPECT_THROW(filled_in(even, {true}), UsageError);
}

}  // namespace
}  // namespace heed::images
