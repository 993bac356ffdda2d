// SPDX-License-Identifier: Apache-2.0
// Densities over a line or a plane that continuous attention reads with (Martins et al. 2020): what
// basis functions psi_j = N(t; mu_j, Sigma_j) have under them, r_j = E_p[psi_j], in closed form and
// in double. Continuous softmax is a Gaussian, continuous sparsemax a parabola that is cut off at
// 0.
//
// Both are given by their mean and covariance S, so that they can be exchanged for one another.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

namespace heed::attention {

enum class Density { softmax, sparsemax };
// What options call them.
const std::vector<std::string>& density_names();

// What a density has under one function, and the derivatives of that.
struct LineRead {
  double value = 0;
  double d_mean = 0;
  double d_variance = 0;
};

class LineDensity {
 public:
  LineDensity(Density of, double mean, double variance);
  double at(double t) const;
  // Half the length of what it covers; of a Gaussian infinity.
  double reach() const;
  // Of a function N(t; centre, variance).
  LineRead read(double centre, double variance) const;

 private:
  LineRead parabola(double centre, double deviation) const;

  Density of_;
  double mean_;
  double variance_;
  double half_ = 0;   // a, of a parabola
  double scale_ = 0;  // sigma^2 of a parabola: p = (a^2 - (t - mean)^2) / (2 sigma^2)
};

// A symmetric matrix of two rows.
struct Symmetric {
  double xx = 0, xy = 0, yy = 0;
  double determinant() const { return xx * yy - xy * xy; }
  Symmetric inverse() const;
};

// The derivative along xy moves both places of the matrix.
struct PlaneRead {
  double value = 0;
  std::array<double, 2> d_mean{};
  Symmetric d_covariance{};
};

// A density that reads functions of one covariance: what does not hang on their centres is found
// once. The sparsemax is an integral over angles, of which `angles` distinct ones, an even number,
// are taken: the error falls geometrically, to 1e-9 at 64 for deviations of a 30th of the side.
class PlaneDensity {
 public:
  using Point = std::array<double, 2>;
  PlaneDensity(Density of, const Point& mean, const Symmetric& covariance,
               const Symmetric& functions, int angles);
  double value(const Point& centre) const;
  PlaneRead read(const Point& centre) const;

 private:
  // One direction through the mean and the opposite one, in coordinates where the support is the
  // unit disc.
  struct Ray {
    Point u;       // R H a
    Point k;       // inverse of the functions' covariance times a
    double width;  // deviation of the function along a
    double scale;  // its height there, times the angle between two rays
  };
  template <bool kSlopes>
  PlaneRead paraboloid(const Point& centre) const;
  template <bool kSlopes>
  PlaneRead gaussian(const Point& centre) const;

  Density of_;
  Point mean_;
  Symmetric covariance_;  // S
  Symmetric summed_{};    // (S + Sigma_j)^-1, of a Gaussian
  double height_ = 0;     // 1 / (2 pi sqrt|S + Sigma_j|)
  Symmetric sigma_{};     // Sigma of a paraboloid, its inverse, R^2
  Symmetric inverse_{};
  double squared_radius_ = 0;
  Symmetric to_disc_{};  // H^-1 / R
  Symmetric shape_{};    // inverse of the functions' covariance on the disc
  std::vector<Ray> rays_{};
};

}  // namespace heed::attention
