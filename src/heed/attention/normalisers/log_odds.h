// SPDX-License-Identifier: Apache-2.0
// Sigmoid and softplus that neither overflow nor cancel: what recursions in log-odds are made of.
#pragma once

#include <algorithm>
#include <cmath>

namespace heed::attention {

// log(1 + e^x)
inline double log_one_plus_exp(double x) {
  return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x)));
}

// 1 / (1 + e^-x)
inline double probability_of_odds(double x) {
  const double e = std::exp(-std::abs(x));
  return (x >= 0 ? 1 : e) / (1 + e);
}

}  // namespace heed::attention
