// SPDX-License-Identifier: Apache-2.0
// The projection of scores on weights between 0 and a bound of each key that add up to a total.
#pragma once

#include <span>

namespace heed::attention {

// p = clip(z - tau, 0, u) with sum p = total: argmin |p - z|^2. When the bounds add up to less than
// the total, p = u. z, u and p have the same length; p may be u. Throws nothing on finite input.
void clipped_projection(std::span<const double> z, std::span<const double> u, double total,
                        std::span<double> p);

}  // namespace heed::attention
