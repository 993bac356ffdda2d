// SPDX-License-Identifier: Apache-2.0
// Divergences, term by term.
#include "heed/metrics/divergence.h"

#include <cmath>
#include <string_view>

#include "heed/base/error.h"

namespace heed::metrics {
namespace {

void check(std::string_view measure, std::span<const double> shares) {
  if (shares.empty()) throw UsageError("{}: a distribution over nothing", measure);
  for (std::size_t i = 0; i < shares.size(); ++i) {
    if (!(shares[i] >= 0)) {
      throw UsageError("{}: share {} of {} is {}; shares are 0 or more", measure, i + 1,
                       shares.size(), shares[i]);
    }
  }
}

void check(std::string_view measure, std::span<const double> p, std::span<const double> q) {
  if (p.size() != q.size()) {
    throw UsageError("{}: {} shares beside {}; both are of the same things", measure, p.size(),
                     q.size());
  }
  check(measure, p);
  check(measure, q);
}

// a ln(2a / (a + b)), 0 at a = 0.
double to_mean(double a, double b) {
  return a > 0 ? a * std::log(2 * a / (a + b)) : 0;
}

}  // namespace

double jensen_shannon(std::span<const double> p, std::span<const double> q) {
  check("Jensen-Shannon divergence", p, q);
  double sum = 0;
  for (std::size_t i = 0; i < p.size(); ++i) sum += to_mean(p[i], q[i]) + to_mean(q[i], p[i]);
  return sum / 2;
}

double total_variation(std::span<const double> p, std::span<const double> q) {
  check("total variation", p, q);
  double sum = 0;
  for (std::size_t i = 0; i < p.size(); ++i) sum += std::abs(p[i] - q[i]);
  return sum / 2;
}

double entropy(std::span<const double> p) {
  check("entropy", p);
  double sum = 0;
  for (const double share : p) sum -= share > 0 ? share * std::log(share) : 0;
  return sum;
}

}  // namespace heed::metrics
