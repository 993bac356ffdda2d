// SPDX-License-Identifier: Apache-2.0
// Cholesky: linear equations whose matrix is symmetric and positive, such as those of least
// squares.
#pragma once

#include <cstddef>
#include <vector>

#include "heed/base/exported.h"

namespace heed {

// Solves a x = b for every column of b [n,columns], in place; of a [n,n] the lower triangle is
// read, and its factor is left there. A matrix that is not positive gives NaN.
HEED_EXPORTED void solve_positive(std::vector<double>& a, std::size_t n, std::vector<double>& b,
                                  std::size_t columns);

}  // namespace heed
