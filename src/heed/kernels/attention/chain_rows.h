// SPDX-License-Identifier: Apache-2.0
// Marginals of linear chains along rows, and their gradient: each item is chosen or not, with a
// reward for two chosen neighbours and a price for each change.
//
// Matrices are row-major and contiguous: x, y, dy, dx [rows, columns]. Outputs must not be inputs,
// but dx may be y or dy. An infinite item is certain, or ruled out; a NaN makes its row NaN. Finite
// items of any size give no NaN. Each row is computed in one lane of one thread: neither the thread
// count nor its neighbours change a bit. Both functions return false where there is no memory to
// work in; what they wrote is then of no use.
#pragma once

#include <cmath>
#include <cstddef>

#include "heed/base/exported.h"

namespace heed::kernels {

// p(z) ~ exp(sum x_i z_i + coupling sum z_i z_(i+1) - change sum |z_i - z_(i+1)|)
struct ChainPair {
  double coupling = 0;
  double change = 0;
};
// Whether the exponentials of a pair, and their products, stay in the range of float.
inline bool chain_pair_fits(const ChainPair& pair) noexcept {
  constexpr double kMostPull = 40;  // e^40 squared is a float
  return std::abs(pair.coupling) + 2 * std::abs(pair.change) <= kMostPull;
}

// y_i = P(z_i = 1) (Kim, Denton, Hoang & Rush 2017), for a pair that fits.
template <typename T>
HEED_EXPORTED bool chain_marginals(const ChainPair& pair, const T* x, T* y, std::size_t rows,
                                   std::size_t columns) noexcept;

// dx, the gradient of <dy, y>.
template <typename T>
HEED_EXPORTED bool chain_marginals_backward(const ChainPair& pair, const T* x, const T* y,
                                            const T* dy, T* dx, std::size_t rows,
                                            std::size_t columns) noexcept;

}  // namespace heed::kernels
