// SPDX-License-Identifier: Apache-2.0
// Student's distribution by the incomplete beta function, as a continued fraction.
#include "heed/metrics/student_t.h"

#include <cmath>
#include <limits>

#include "heed/base/error.h"

namespace heed::metrics {
namespace {

// The continued fraction of the incomplete beta function I_x(a, b), by Lentz' method: Press et al.
// 2007, "Numerical Recipes", section 6.4.
double beta_fraction(double a, double b, double x) {
  constexpr int kMostTerms = 10'000;
  constexpr double kTiny = 1e-300;
  const auto away_from_zero = [](double value) { return std::abs(value) < kTiny ? kTiny : value; };
  double c = 1;
  double d = 1 / away_from_zero(1 - (a + b) * x / (a + 1));
  double fraction = d;
  for (int m = 1; m < kMostTerms; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    double change = 1;
    for (const double term : {even, odd}) {
      d = 1 / away_from_zero(1 + term * d);
      c = away_from_zero(1 + term / c);
      change = c * d;
      fraction *= change;
    }
    if (std::abs(change - 1) < 1e-15) break;
  }
  return fraction;
}

double incomplete_beta(double a, double b, double x) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const double front = std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) +
                                a * std::log(x) + b * std::log1p(-x));
  // The fraction is short on one side of the mean.
  if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(a, b, x) / a;
  return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

}  // namespace

double student_t(double t, double degrees) {
  const double tail = incomplete_beta(degrees / 2, .5, degrees / (degrees + t * t)) / 2;
  return t > 0 ? 1 - tail : tail;
}

PairedTTest paired_t_test(std::span<const double> first, std::span<const double> second) {
  if (first.size() != second.size() || first.size() < 2) {
    throw UsageError("paired t-test: {} and {} samples; it takes two or more, as many of each",
                     first.size(), second.size());
  }
  const auto count = static_cast<double>(first.size());
  double mean = 0;
  for (std::size_t i = 0; i < first.size(); ++i) mean += (first[i] - second[i]) / count;
  double squares = 0;
  for (std::size_t i = 0; i < first.size(); ++i) {
    const double apart = first[i] - second[i] - mean;
    squares += apart * apart;
  }
  if (squares == 0) {
    constexpr double kEndless = std::numeric_limits<double>::infinity();
    return {mean, mean == 0 ? 0 : std::copysign(kEndless, mean),
            mean < 0   ? 0.
            : mean > 0 ? 1.
                       : .5};
  }
  const double deviation = std::sqrt(squares / (count - 1) / count);
  const double t = mean / deviation;
  return {.difference = mean, .t = t, .p = student_t(t, count - 1)};
}

}  // namespace heed::metrics
