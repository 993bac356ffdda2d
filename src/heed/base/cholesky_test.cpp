// SPDX-License-Identifier: Apache-2.0
// Equations solved, put back in.
#include "heed/base/cholesky.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "heed/base/random.h"

namespace heed {
namespace {

TEST(Cholesky, SolvesEveryColumn) {
  Random random(2);
  for (const std::size_t n : {1U, 2U, 5U, 40U}) {
    std::vector<double> root(n * n), a(n * n, 0), x(n * 3), b(n * 3, 0);
    for (double& one : root) one = random.normal();
    for (double& one : x) one = random.normal();
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        for (std::size_t k = 0; k < n; ++k) a[i * n + j] += root[i * n + k] * root[j * n + k];
      }
      a[i * n + i] += 1;
    }
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        for (std::size_t c = 0; c < 3; ++c) b[i * 3 + c] += a[i * n + j] * x[j * 3 + c];
      }
    }
    solve_positive(a, n, b, 3);
    for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(b[i], x[i], 1e-10) << n;
  }
}

TEST(Cholesky, GivesNothingForWhatIsNotPositive) {
  std::vector<double> a = {-1}, b = {1};
  solve_positive(a, 1, b, 1);
  EXPECT_TRUE(std::isnan(b[0]));
}

}  // namespace
}  // namespace heed
