// SPDX-License-Identifier: Apache-2.0
// The worked table of three queries over five keys.
#pragma once

#include <cmath>
#include <vector>

#include "heed/tensor/tensor.h"

namespace heed::attention::monotonic_testing {

inline constexpr double kExact = sizeof(Real) == 8 ? 1e-9 : 1e-6;

inline const std::vector<double> kChances{.1, .6, .3, .2, .5, .2, .1, .7,
                                          .4, .3, .5, .3, .2, .6, .4};
inline const std::vector<std::int64_t> kSeesAll{5, 5, 5};

inline Tensor worked_energies() {
  std::vector<Real> energies;
  for (const double p : kChances) energies.push_back(static_cast<Real>(std::log(p / (1 - p))));
  return Tensor::of({1, 1, 3, 5}, energies);
}
inline Tensor rows_of_three(const std::vector<double>& values) {
  return Tensor::of({1, 1, 3, 5}, std::vector<Real>(values.begin(), values.end()));
}

}  // namespace heed::attention::monotonic_testing
