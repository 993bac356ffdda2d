// SPDX-License-Identifier: Apache-2.0
// Length penalties: without one the shortest output wins, since every token costs probability.
#pragma once  // public header

#include <cstdint>
#include <string>
#include <vector>

#pragma GCC visibility push(default)  // exported

namespace heed::decoding {

// The log-probability of an output is divided by
enum class LengthScale {
  none,   // 1
  wu,     // ((5 + length) / 6)^alpha, Wu 2016, eq. 14
  power,  // length^alpha; alpha 1: the mean per token
};
// In the order of the enumerators.
const std::vector<std::string>& length_scale_names();

struct LengthPenalty {
  LengthScale scale = LengthScale::wu;
  double alpha = .6;

  double divisor(std::int64_t length) const;
  double score(double log_probability, std::int64_t length) const {
    return log_probability / divisor(length);
  }
  // The best score that a hypothesis may still reach when it ends with a length of least to most:
  // its log-probability only falls, and the divisor is monotone.
  double bound(double log_probability, std::int64_t least, std::int64_t most) const;
};

}  // namespace heed::decoding

#pragma GCC visibility pop
