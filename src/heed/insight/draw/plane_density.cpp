// SPDX-License-Identifier: Apache-2.0
// Axes of Sigma: its eigenvectors times the roots of its eigenvalues.
#include "heed/insight/draw/plane_density.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "heed/base/error.h"

namespace heed::insight {

std::vector<PlaneEllipse> ellipses_of(const PlaneDensity& density) {
  const double half = (density.xx + density.yy) / 2, apart = (density.xx - density.yy) / 2;
  const double spread = std::hypot(apart, density.xy);
  const double determinant = density.xx * density.yy - density.xy * density.xy;
  if (!(determinant > 0 && half > 0)) {
    throw UsageError("a density of covariance {}, {}, {}; it takes a positive definite one",
                     density.xx, density.xy, density.yy);
  }
  const double longer = std::sqrt(half + spread);
  const double shorter = std::sqrt(determinant) / longer;  // the product of both is the determinant
  const double angle = std::atan2(density.xy, apart) / 2;
  const double c = std::cos(angle), s = std::sin(angle);
  std::vector<PlaneEllipse> ellipses;
  const auto add = [&](double radius) {
    ellipses.push_back({.x = density.x,
                        .y = density.y,
                        .first_x = radius * longer * c,
                        .first_y = radius * longer * s,
                        .second_x = -radius * shorter * s,
                        .second_y = radius * shorter * c});
  };
  if (density.shape == PlaneDensity::Shape::paraboloid) {
    // R^2 = 2/(sqrt(pi) |Sigma|^1/4), so that the density's volume is 1.
    add(std::sqrt(2 / (std::sqrt(std::numbers::pi) * std::pow(determinant, .25))));
  } else {
    for (const double deviations : {1., 2., 3.}) add(deviations);
  }
  return ellipses;
}

std::vector<PlaneDensity> densities_of(const attention::LookDensities& looks, std::int64_t sequence,
                                       std::int64_t query) {
  constexpr std::int64_t kMomentsOfAPlane = 5;
  std::vector<PlaneDensity> densities;
  if (!looks.moments.defined() || looks.moments.size(3) != kMomentsOfAPlane) return densities;
  for (std::int64_t head = 0; head < looks.moments.size(1); ++head) {
    const auto moment = [&](std::int64_t m) {
      return static_cast<double>(looks.moments.at({sequence, head, query, m}));
    };
    const double xx = moment(2), xy = moment(3), yy = moment(4);
    const double scale =
        looks.bounded ? 9 * std::numbers::pi * std::sqrt(std::max(0., xx * yy - xy * xy)) : 1;
    densities.push_back(
        {.shape = looks.bounded ? PlaneDensity::Shape::paraboloid : PlaneDensity::Shape::gaussian,
         .x = moment(0),
         .y = moment(1),
         .xx = scale * xx,
         .xy = scale * xy,
         .yy = scale * yy});
  }
  return densities;
}

}  // namespace heed::insight
