// SPDX-License-Identifier: Apache-2.0
// A density over an image, as continuous attention has it, and the ellipses that show it.
#pragma once  // public header

#include <cstdint>
#include <vector>

#include "heed/attention/observer.h"

#pragma GCC visibility push(default)  // exported

namespace heed::insight {

// Places are in the unit square of the image, x across and y down.
struct PlaneDensity {
  // A Gaussian N(mean, Sigma), or the truncated paraboloid (R^2 - (t-mean)' Sigma^-1 (t-mean))/2,
  // which is 0 outside an ellipse (Martins 2020).
  enum class Shape { gaussian, paraboloid };
  Shape shape = Shape::gaussian;
  double x = .5, y = .5;              // mean
  double xx = .01, xy = 0, yy = .01;  // Sigma
};

// The places mean + cos t first + sin t second.
struct PlaneEllipse {
  double x = 0, y = 0;
  double first_x = 0, first_y = 0;    // the longer axis
  double second_x = 0, second_y = 0;  // the shorter one
};

// Of a Gaussian the contours at 1, 2 and 3 deviations, inner first, which hold 39, 86 and 99% of
// it; of a paraboloid the border of its support. UsageError for a Sigma that is not positive
// definite.
std::vector<PlaneEllipse> ellipses_of(const PlaneDensity& density);

// Those of one query of a sequence that continuous attention looked with, one for each head; none
// for other attention, and for lines. A paraboloid's Sigma is 9 pi |S|^1/2 S of its covariance S.
std::vector<PlaneDensity> densities_of(const attention::LookDensities& looks, std::int64_t sequence,
                                       std::int64_t query);

}  // namespace heed::insight

#pragma GCC visibility pop
