// SPDX-License-Identifier: Apache-2.0
// Ellipses against the densities they show.
#include "heed/insight/draw/plane_density.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "heed/base/error.h"

namespace heed::insight {
namespace {

// (t - mean)' Sigma^-1 (t - mean)
double distance(const PlaneDensity& d, double x, double y) {
  const double determinant = d.xx * d.yy - d.xy * d.xy, dx = x - d.x, dy = y - d.y;
  return (d.yy * dx * dx - 2 * d.xy * dx * dy + d.xx * dy * dy) / determinant;
}

TEST(EllipsesOf, AGaussianLieAtOneTwoAndThreeDeviations) {
  const PlaneDensity density{.x = .3, .y = .6, .xx = .02, .xy = -.012, .yy = .01};
  const auto ellipses = ellipses_of(density);
  ASSERT_EQ(ellipses.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    const PlaneEllipse& e = ellipses[i];
    for (double t = 0; t < 6; t += .7) {
      const double c = std::cos(t), s = std::sin(t);
      const auto deviations = static_cast<double>(i + 1);
      EXPECT_NEAR(distance(density, e.x + c * e.first_x + s * e.second_x,
                           e.y + c * e.first_y + s * e.second_y),
                  deviations * deviations, 1e-9);
    }
    EXPECT_GT(std::hypot(e.first_x, e.first_y), std::hypot(e.second_x, e.second_y));
  }
}

// The volume under the paraboloid inside the ellipse is 1: half its base times its height.
TEST(EllipsesOf, AParaboloidIsTheBorderOfADensity) {
  const PlaneDensity density{
      .shape = PlaneDensity::Shape::paraboloid, .xx = .004, .xy = .001, .yy = .003};
  const auto ellipses = ellipses_of(density);
  ASSERT_EQ(ellipses.size(), 1u);
  const PlaneEllipse& e = ellipses[0];
  const double base = std::numbers::pi * (e.first_x * e.second_y - e.first_y * e.second_x);
  const double height = distance(density, e.x + e.first_x, e.y + e.first_y) / 2;
  EXPECT_NEAR(base * height / 2, 1, 1e-9);
}

TEST(EllipsesOf, RefuseACovarianceThatIsNone) {
  EXPECT_THROW(ellipses_of({.xx = .01, .xy = .02, .yy = .01}), UsageError);
  EXPECT_THROW(ellipses_of({.xx = -1, .xy = 0, .yy = -1}), UsageError);
}

// The second moment of a paraboloid along x is R^2 Sigma / 6.
TEST(DensitiesOf, LooksHaveTheCovarianceThatTheirShapeSays) {
  attention::LookDensities looks{Tensor::zeros({2, 1, 3, 5}), true};
  const Real moments[] = {Real(.25), Real(.75), Real(.004), Real(.001), Real(.003)};
  std::copy_n(moments, 5, looks.moments.mutable_data() + 5 * (3 + 2));
  const auto bounded = densities_of(looks, 1, 2);
  ASSERT_EQ(bounded.size(), 1u);
  const PlaneDensity& one = bounded[0];
  EXPECT_EQ(one.shape, PlaneDensity::Shape::paraboloid);
  EXPECT_NEAR(one.x, .25, 1e-6);
  EXPECT_NEAR(one.y, .75, 1e-6);
  const double radius_squared =
      2 / (std::sqrt(std::numbers::pi) * std::pow(one.xx * one.yy - one.xy * one.xy, .25));
  EXPECT_NEAR(one.xx * radius_squared / 6, .004, 1e-6);
  EXPECT_NEAR(one.xy * radius_squared / 6, .001, 1e-6);
  looks.bounded = false;
  const auto gaussian = densities_of(looks, 1, 2);
  EXPECT_EQ(gaussian[0].shape, PlaneDensity::Shape::gaussian);
  EXPECT_NEAR(gaussian[0].yy, .003, 1e-6);
  EXPECT_TRUE(densities_of({}, 0, 0).empty());
  EXPECT_TRUE(densities_of({Tensor::zeros({1, 1, 1, 2})}, 0, 0).empty()) << "a line";
}

}  // namespace
}  // namespace heed::insight
