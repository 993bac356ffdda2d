// SPDX-License-Identifier: Apache-2.0
// The factor row by row, then both triangles.
#include "heed/base/cholesky.h"

#include <cmath>

namespace heed {

void solve_positive(std::vector<double>& a, std::size_t n, std::vector<double>& b,
                    std::size_t columns) {
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = a[i * n + j];
      for (std::size_t k = 0; k < j; ++k) sum -= a[i * n + k] * a[j * n + k];
      a[i * n + j] = i == j ? std::sqrt(sum) : sum / a[j * n + j];
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      for (std::size_t c = 0; c < columns; ++c) {
        b[i * columns + c] -= a[i * n + k] * b[k * columns + c];
      }
    }
    for (std::size_t c = 0; c < columns; ++c) b[i * columns + c] /= a[i * n + i];
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t k = i + 1; k < n; ++k) {
      for (std::size_t c = 0; c < columns; ++c) {
        b[i * columns + c] -= a[k * n + i] * b[k * columns + c];
      }
    }
    for (std::size_t c = 0; c < columns; ++c) b[i * columns + c] /= a[i * n + i];
  }
}

}  // namespace heed
