// SPDX-License-Identifier: Apache-2.0
// The total-variation proximal map of one row: it fuses neighbours.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace heed::attention {

// y = argmin 1/2 |y - z|^2 + strength sum |y_j - y_(j-1)|. `ends` gets, for each run of neighbours
// with one common value, one past its last index. z holds no NaN; y may be z; strength >= 0.
void total_variation_prox(std::span<const double> z, double strength, std::span<double> y,
                          std::vector<std::size_t>& ends);

}  // namespace heed::attention
