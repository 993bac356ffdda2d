// SPDX-License-Identifier: Apache-2.0
// The closed forms: products of Gaussians, and moments of a Gaussian cut off at both ends.
#include "heed/attention/whole/density.h"

#include <cmath>
#include <limits>
#include <numbers>

namespace heed::attention {
namespace {

constexpr double kPi = std::numbers::pi;

// Beyond this many deviations nothing of a Gaussian is left in double.
constexpr double kFar = 9;

double bell(double z) {
  return std::exp(-z * z / 2) / std::sqrt(2 * kPi);
}
// Phi(b) - Phi(a)
double between(double a, double b) {
  return (std::erf(b / std::numbers::sqrt2) - std::erf(a / std::numbers::sqrt2)) / 2;
}

// A function much wider than the support is as good as straight on it, and the closed forms below
// lose the square and cube of their ratio: there ten points of Gauss and Legendre on [0, 1] are
// exact to rounding.
constexpr double kWide = 2;
struct Node {
  double at, share;
};
constexpr std::array<Node, 10> kNodes = [] {
  constexpr double kAt[] = {0.14887433898163122, 0.43339539412924719, 0.67940956829902441,
                            0.86506336668898451, 0.97390652851717172};
  constexpr double kShare[] = {0.29552422471475287, 0.26926671930999636, 0.21908636251598204,
                               0.14945134915058059, 0.06667134430868814};
  std::array<Node, 10> nodes{};
  for (std::size_t i = 0; i < 5; ++i) {
    nodes[2 * i] = {(1 - kAt[i]) / 2, kShare[i] / 2};
    nodes[2 * i + 1] = {(1 + kAt[i]) / 2, kShare[i] / 2};
  }
  return nodes;
}();

// Of one ray: M_n, the integral of rho^n N(rho; r, s^2) over [0, 1].
struct RadialMoments {
  double first = 0, second = 0, third = 0;
};

RadialMoments radial_moments(double r, double s) {
  const double from = -r / s, to = (1 - r) / s;
  if (from > kFar || to < -kFar) return {};
  if (s > kWide) {
    RadialMoments sums;
    for (const Node& node : kNodes) {
      const double share = node.share * bell((node.at - r) / s) / s;
      sums.first += share * node.at;
      sums.second += share * node.at * node.at;
      sums.third += share * node.at * node.at * node.at;
    }
    return sums;
  }
  const double low = bell(from), high = bell(to), p = between(from, to);
  const double d0 = high - low, d1 = to * high - from * low;
  const double d2 = (to * to + 2) * high - (from * from + 2) * low;
  return {r * p - s * d0, r * r * p - 2 * r * s * d0 + s * s * (p - d1),
          r * r * r * p - 3 * r * r * s * d0 + 3 * r * s * s * (p - d1) - s * s * s * d2};
}

std::array<double, 2> operator*(const Symmetric& a, const std::array<double, 2>& x) {
  return {a.xx * x[0] + a.xy * x[1], a.xy * x[0] + a.yy * x[1]};
}
double dot(const std::array<double, 2>& a, const std::array<double, 2>& b) {
  return a[0] * b[0] + a[1] * b[1];
}
Symmetric operator*(double a, const Symmetric& b) {
  return {a * b.xx, a * b.xy, a * b.yy};
}
Symmetric operator+(const Symmetric& a, const Symmetric& b) {
  return {a.xx + b.xx, a.xy + b.xy, a.yy + b.yy};
}
// a b a
Symmetric around(const Symmetric& a, const Symmetric& b) {
  const auto left = a * std::array{b.xx, b.xy}, right = a * std::array{b.xy, b.yy};
  return {left[0] * a.xx + right[0] * a.xy, left[0] * a.xy + right[0] * a.yy,
          left[1] * a.xy + right[1] * a.yy};
}
// Both places of xy count.
double inner(const Symmetric& a, const Symmetric& b) {
  return a.xx * b.xx + 2 * a.xy * b.xy + a.yy * b.yy;
}
// As a derivative along xx, xy and yy.
Symmetric along_entries(const Symmetric& a) {
  return {a.xx, 2 * a.xy, a.yy};
}

}  // namespace

const std::vector<std::string>& density_names() {
  static const std::vector<std::string> names{"softmax", "sparsemax"};
  return names;
}

// ---- a line ----

LineDensity::LineDensity(Density of, double mean, double variance)
    : of_(of), mean_(mean), variance_(variance) {
  if (of == Density::softmax) return;
  half_ = std::sqrt(5 * variance);  // a parabola's variance is a^2 / 5
  scale_ = 2 * half_ * half_ * half_ / 3;
}

double LineDensity::reach() const {
  return of_ == Density::softmax ? std::numeric_limits<double>::infinity() : half_;
}

double LineDensity::at(double t) const {
  const double away = t - mean_;
  if (of_ == Density::sparsemax) {
    return std::max(0.0, (half_ * half_ - away * away) / (2 * scale_));
  }
  const double deviation = std::sqrt(variance_);
  return bell(away / deviation) / deviation;
}

// Of N(t; mean, s^2) the integrals I_n of (t - mean)^n between -a and a, m the centre from there:
// I_0 = P, I_1 = mP - s D_0, I_2 = m^2 P - 2 m s D_0 + s^2 (P - D_1).
LineRead LineDensity::parabola(double centre, double deviation) const {
  const double m = centre - mean_, s = deviation;
  const double from = (-half_ - m) / s, to = (half_ - m) / s;
  if (from > kFar || to < -kFar) return {};
  const double squared = half_ * half_;
  double p = 0, i1 = 0, i2 = 0;
  if (s > kWide * half_) {
    for (const Node& node : kNodes) {
      const double t = (2 * node.at - 1) * half_;
      const double share = 2 * half_ * node.share * bell((t - m) / s) / s;
      p += share;
      i1 += share * t;
      i2 += share * t * t;
    }
  } else {
    const double low = bell(from), high = bell(to);
    const double d0 = high - low, d1 = to * high - from * low;
    p = between(from, to);
    i1 = m * p - s * d0;
    i2 = m * m * p - 2 * m * s * d0 + s * s * (p - d1);
  }
  // d sigma^2 / d variance = 5 a, as sigma^2 = 2/3 (5 variance)^(3/2)
  return {(squared * p - i2) / (2 * scale_), i1 / scale_,
          (i2 - squared / 3 * p) / (2 * scale_ * scale_) * 5 * half_};
}

LineRead LineDensity::read(double centre, double variance) const {
  if (of_ == Density::sparsemax) return parabola(centre, std::sqrt(variance));
  const double both = variance_ + variance, away = mean_ - centre;
  const double value = bell(away / std::sqrt(both)) / std::sqrt(both);
  return {value, -value * away / both, value / 2 * (away * away / both - 1) / both};
}

// ---- a plane ----

Symmetric Symmetric::inverse() const {
  return 1 / determinant() * Symmetric{yy, -xy, xx};
}

PlaneDensity::PlaneDensity(Density of, const Point& mean, const Symmetric& covariance,
                           const Symmetric& functions, int angles)
    : of_(of), mean_(mean), covariance_(covariance) {
  if (of == Density::softmax) {
    const Symmetric both = covariance + functions;
    summed_ = both.inverse();
    height_ = 1 / (2 * kPi * std::sqrt(both.determinant()));
    return;
  }
  // The covariance of a paraboloid is Sigma R^2 / 6 with R^2 = 2 / (sqrt(pi) |Sigma|^(1/4)).
  sigma_ = 9 * kPi * std::sqrt(covariance.determinant()) * covariance;
  inverse_ = sigma_.inverse();
  const double volume = std::sqrt(sigma_.determinant());
  squared_radius_ = 2 / std::sqrt(kPi * volume);
  const double radius = std::sqrt(squared_radius_);
  const Symmetric root =
      1 / std::sqrt(sigma_.xx + sigma_.yy + 2 * volume) * (sigma_ + Symmetric{volume, 0, volume});
  to_disc_ = 1 / radius * root.inverse();
  const Symmetric on_disc = around(to_disc_, functions);
  shape_ = on_disc.inverse();
  for (int i = 0; i < angles / 2; ++i) {
    const double angle = 2 * kPi * i / angles;
    const Point a{std::cos(angle), std::sin(angle)};
    const Point u = root * a, k = shape_ * a;
    const double variance = 1 / dot(a, k);
    rays_.push_back({{radius * u[0], radius * u[1]},
                     k,
                     std::sqrt(variance),
                     std::sqrt(variance / (2 * kPi * on_disc.determinant())) * 2 * kPi / angles});
  }
}

template <bool kSlopes>
PlaneRead PlaneDensity::gaussian(const Point& centre) const {
  const Point away{mean_[0] - centre[0], mean_[1] - centre[1]};
  const Point v = summed_ * away;
  PlaneRead found{.value = height_ * std::exp(-dot(away, v) / 2)};
  if constexpr (kSlopes) {
    const double r = found.value;
    found.d_mean = {-r * v[0], -r * v[1]};
    found.d_covariance =
        along_entries(r / 2 * (Symmetric{v[0] * v[0], v[0] * v[1], v[1] * v[1]} + -1 * summed_));
  }
  return found;
}

// With <f> the sum over angles: r = R^2/2 <M1 - M3>, d/dmu = Sigma^-1 <M2 u>,
// d/dSigma = 1/2 (Sigma^-1 <M3 u u^T> Sigma^-1 - R^2/4 <M1> Sigma^-1).
template <bool kSlopes>
PlaneRead PlaneDensity::paraboloid(const Point& centre) const {
  const Point at = to_disc_ * Point{centre[0] - mean_[0], centre[1] - mean_[1]};
  const double distance = dot(at, shape_ * at);
  double first = 0, difference = 0;
  Point second{};
  Symmetric third{};
  for (const Ray& ray : rays_) {
    const double along = dot(ray.k, at);
    const double r = ray.width * ray.width * along;
    const double beside = distance - r * along;  // squared deviations from the ray
    if (beside > 2 * kFar * kFar) continue;
    const double height = ray.scale * std::exp(-beside / 2);
    const RadialMoments ahead = radial_moments(r, ray.width);
    const RadialMoments behind = radial_moments(-r, ray.width);
    const double m1 = height * (ahead.first + behind.first);
    const double m3 = height * (ahead.third + behind.third);
    difference += m1 - m3;
    if constexpr (kSlopes) {
      const double m2 = height * (ahead.second - behind.second);
      first += m1;
      second = {second[0] + m2 * ray.u[0], second[1] + m2 * ray.u[1]};
      third = third + m3 * Symmetric{ray.u[0] * ray.u[0], ray.u[0] * ray.u[1], ray.u[1] * ray.u[1]};
    }
  }
  PlaneRead found{.value = squared_radius_ / 2 * difference};
  if constexpr (kSlopes) {
    found.d_mean = inverse_ * second;
    const Symmetric d_sigma =
        0.5 * (around(inverse_, third) + -squared_radius_ / 4 * first * inverse_);
    // Sigma = 9 pi sqrt|S| S
    const double growth = 9 * kPi * std::sqrt(covariance_.determinant());
    found.d_covariance =
        along_entries(growth * (d_sigma + inner(d_sigma, covariance_) / 2 * covariance_.inverse()));
  }
  return found;
}

double PlaneDensity::value(const Point& centre) const {
  return of_ == Density::softmax ? gaussian<false>(centre).value : paraboloid<false>(centre).value;
}

PlaneRead PlaneDensity::read(const Point& centre) const {
  return of_ == Density::softmax ? gaussian<true>(centre) : paraboloid<true>(centre);
}

}  // namespace heed::attention
