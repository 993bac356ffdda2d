// SPDX-License-Identifier: Apache-2.0
// Gaussian filters against their definition, on every CPU target.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "heed/kernels/glimpse.h"
#include "heed/kernels/testing.h"

namespace heed::kernels {
namespace {

template <typename T>
class Filters : public ::testing::Test {};
using FilterScalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Filters, FilterScalars);

template <typename T>
std::vector<double> filter_row(double mean, double log_variance, std::size_t pixels) {
  std::vector<double> row;
  double sum = 0;
  for (std::size_t a = 1; a <= pixels; ++a) {
    const double away = static_cast<double>(a) - mean;
    row.push_back(std::exp(-away * away / (2 * std::exp(log_variance))));
    sum += row.back();
  }
  for (double& weight : row) weight /= std::max(sum, 1e-8);
  return row;
}

TYPED_TEST(Filters, AreGaussiansOfSumOneOnEveryTarget) {
  using T = TypeParam;
  on_every_target([] {
    for (const std::size_t pixels : {1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 31, 33, 60}) {
      for (const std::size_t count : {1, 3, 70}) {
        const GaussianFilters shape{.rows = 2, .filters = count, .pixels = pixels};
        const T centre[] = {T(pixels) / 3, T(-200)}, spacing[] = {T(.3), T(.1)};
        const T log_variance[] = {T(-.4), T(1)};
        GuardedBuffer<T> filters(2 * count * pixels, pixels % 4);
        gaussian_filters(centre, spacing, log_variance, shape, filters.data());
        for (std::size_t k = 0; k < count; ++k) {
          const double offset = static_cast<double>(k + 1) - static_cast<double>(count) / 2 - .5;
          const auto row = filter_row<T>(double{centre[0]} + offset * double{spacing[0]},
                                         double{log_variance[0]}, pixels);
          for (std::size_t a = 0; a < pixels; ++a) {
            ASSERT_NEAR(filters[k * pixels + a], row[a], sizeof(T) == 4 ? 2e-5 : 1e-12);
            ASSERT_EQ(filters[(count + k) * pixels + a], 0) << "off the image";
          }
        }
      }
    }
  });
}

// Against finite differences, in double.
TEST(GaussianFiltersBackward, IsTheGradientOnEveryTarget) {
  on_every_target([] {
    const GaussianFilters shape{.rows = 2, .filters = 5, .pixels = 19};
    std::vector<double> parameters = {8.3, 11.1, 1.2, 2.1, .3, -.4};
    const std::size_t size = shape.rows * shape.filters * shape.pixels;
    GuardedBuffer<double> filters(size), dfilters(size), gradient(6);
    fill_uniform(dfilters.data(), size, -1, 1);
    const auto value = [&](std::vector<double> p) {
      std::vector<double> made(size);
      gaussian_filters(p.data(), p.data() + 2, p.data() + 4, shape, made.data());
      double sum = 0;
      for (std::size_t i = 0; i < size; ++i) sum += made[i] * dfilters[i];
      return sum;
    };
    const double* const p = parameters.data();
    gaussian_filters(p, p + 2, p + 4, shape, filters.data());
    gaussian_filters_backward<double>({.centre = p,
                                       .spacing = p + 2,
                                       .log_variance = p + 4,
                                       .filters = filters.data(),
                                       .dfilters = dfilters.data(),
                                       .dcentre = gradient.data(),
                                       .dspacing = gradient.data() + 2,
                                       .dlog_variance = gradient.data() + 4},
                                      shape);
    for (std::size_t i = 0; i < 6; ++i) {
      std::vector<double> up = parameters, down = parameters;
      up[i] += 1e-5;
      down[i] -= 1e-5;
      EXPECT_NEAR(gradient[i], (value(up) - value(down)) / 2e-5, 1e-8) << i;
    }
  });
}

}  // namespace
}  // namespace heed::kernels
