// SPDX-License-Identifier: Apache-2.0
// Sums over all choices of some number of keys: what `exactly` and `at_most` share.
#pragma once

#include <cstddef>
#include <span>

#include "heed/attention/normaliser.h"

namespace heed::attention {

enum class SubsetSize { exactly, at_most };

// p(z) ~ exp(<scores, z>) over the choices of exactly, or at most, k keys; of k keys or fewer,
// exactly k means all. O(n k). It lives in this thread's memory: one at a time.
//
// F[i][j], the log of the sum over choices of j of the first i keys, is made of two ways, without
// key i and with it, and share[i][j] is the probability of the second. What follows goes down from
// the last key by these shares, which lie between 0 and 1: no logs of sums are subtracted, as an
// outside chart would have it, and nothing is lost however large the scores are.
class SubsetChart {
 public:
  SubsetChart(std::span<const double> scores, std::int64_t k, SubsetSize size);

  double log_partition() const { return log_partition_; }
  // P(key i is chosen)
  void marginals(std::span<double> mu);
  // How the marginals change along `direction`: their Jacobian, which is symmetric, times it.
  void marginals_along(std::span<const double> direction, std::span<double> change);
  void draw(const Row<double>& row, std::span<double> z);

 private:
  double& share(std::size_t i, std::size_t j) { return shares_[i * (most_ + 1) + j]; }

  std::span<const double> scores_;
  std::size_t most_;          // keys chosen at the most
  std::span<double> shares_;  // [n, most + 1]
  std::span<double> sums_;    // F[n]
  std::span<double> counts_;  // P(j keys are chosen)
  double log_partition_;
};

}  // namespace heed::attention
