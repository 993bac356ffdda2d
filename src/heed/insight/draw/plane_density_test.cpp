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

}  // namespace
}  // namespace heed::insight
