// SPDX-License-Identifier: Apache-2.0
// Glimpses against their definition.
#include "heed/kernels/glimpse.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "heed/base/threads.h"
#include "heed/kernels/testing.h"

namespace heed::kernels {
namespace {

template <typename T>
class Glimpses : public ::testing::Test {};
using GlimpseScalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Glimpses, GlimpseScalars);

// The mean of a cell's pixels, those beyond the image being 0.
template <typename T>
double cell_of(const T* image, const T* place, const GlimpseShape& s, std::size_t scale,
               std::size_t row, std::size_t column, std::size_t channel) {
  const auto block = static_cast<long>(std::pow(s.factor, scale));
  const long side = static_cast<long>(s.size) * block;
  const long left =
      static_cast<long>(std::floor((double{place[0]} + 1) / 2 * static_cast<double>(s.width))) -
      side / 2;
  const long top =
      static_cast<long>(std::floor((double{place[1]} + 1) / 2 * static_cast<double>(s.height))) -
      side / 2;
  double sum = 0;
  for (long y = 0; y < block; ++y) {
    for (long x = 0; x < block; ++x) {
      const long at_y = top + static_cast<long>(row) * block + y;
      const long at_x = left + static_cast<long>(column) * block + x;
      if (at_y < 0 || at_x < 0 || at_y >= static_cast<long>(s.height) ||
          at_x >= static_cast<long>(s.width)) {
        continue;
      }
      sum +=
          double{image[(static_cast<std::size_t>(at_y) * s.width + static_cast<std::size_t>(at_x)) *
                           s.channels +
                       channel]};
    }
  }
  return sum / static_cast<double>(block * block);
}

TYPED_TEST(Glimpses, AreTheMeansOfTheirPixelsAndGiveThemBack) {
  using T = TypeParam;
  const std::vector<T> ends = {T(-1), T(-.37), T(0), T(.4), T(1)};
  for (const GlimpseShape& s :
       {GlimpseShape{.height = 6, .width = 6, .size = 2, .scales = 2},
        GlimpseShape{.height = 5, .width = 9, .channels = 3, .size = 3, .scales = 3},
        GlimpseShape{.height = 4, .width = 3, .channels = 2, .size = 5, .scales = 2, .factor = 3},
        GlimpseShape{.height = 1, .width = 1, .size = 1}}) {
    GlimpseShape shape = s;
    shape.images = ends.size() * ends.size();
    GuardedBuffer<T> images(shape.images * shape.image_size(), 1), places(2 * shape.images);
    fill_uniform(images.data(), images.size(), 0, 1, 3);
    for (std::size_t i = 0; i < shape.images; ++i) {
      places[2 * i] = ends[i % ends.size()];
      places[2 * i + 1] = ends[i / ends.size()];
    }
    const std::size_t size = shape.scales * shape.patch_size();
    GuardedBuffer<T> patches(shape.images * size, 3), dimages(images.size());
    glimpse(images.data(), places.data(), shape, patches.data());
    for (std::size_t i = 0; i < patches.size(); ++i) {
      const std::size_t image = i / size, scale = i % size / shape.patch_size();
      const std::size_t cell = i % shape.patch_size() / shape.channels;
      ASSERT_NEAR(patches[i],
                  cell_of(images.data() + image * shape.image_size(), places.data() + 2 * image,
                          shape, scale, cell / shape.size, cell % shape.size, i % shape.channels),
                  sizeof(T) == 4 ? 1e-6 : 1e-14);
    }
    // <dpatches, glimpse(x)> = <glimpse_backward(dpatches), x>
    GuardedBuffer<T> dpatches(patches.size());
    fill_uniform(dpatches.data(), dpatches.size(), -1, 1, 5);
    for (std::size_t i = 0; i < dimages.size(); ++i) dimages[i] = 0;
    glimpse_backward(dpatches.data(), places.data(), shape, dimages.data());
    double there = 0, back = 0;
    for (std::size_t i = 0; i < patches.size(); ++i)
      there += double{dpatches[i]} * double{patches[i]};
    for (std::size_t i = 0; i < images.size(); ++i) back += double{dimages[i]} * double{images[i]};
    EXPECT_NEAR(there, back, sizeof(T) == 4 ? 1e-3 : 1e-11);
  }
}

TEST(GlimpseCorner, IsHalfTheSideBeforeThePlaceAndNeverFarAway) {
  EXPECT_EQ(glimpse_corner(0, 6, 2), 2);
  EXPECT_EQ(glimpse_corner(1, 6, 4), 4);
  EXPECT_EQ(glimpse_corner(-1, 6, 4), -2);
  EXPECT_EQ(glimpse_corner(-.5, 6, 2), 0);
  EXPECT_EQ(glimpse_corner(1e300, 6, 2), 11);
  EXPECT_EQ(glimpse_corner(NAN, 6, 2), 2);
}

}  // namespace
}  // namespace heed::kernels
