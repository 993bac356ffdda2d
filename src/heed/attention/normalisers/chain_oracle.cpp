// SPDX-License-Identifier: Apache-2.0
// Viterbi over sequences of choices, plain and with a count of what may still be chosen.
#include "heed/attention/normalisers/chain_oracle.h"

#include <algorithm>

#include "heed/attention/normalisers/row_math.h"

namespace heed::attention {

void ChainOracle::count_extras(PartBitsView bits, std::span<double> counts) const {
  for (std::size_t i = 1; i < keys_; ++i) {
    if (has_part(bits, 2 * i - 1) && has_part(bits, 2 * i + 1)) counts[0] += 1;
  }
}

// u_i, what the best sequence from key i on gains by choosing it: only differences are kept.
void ChainOracle::best_of_any(std::span<const double> scores, PartBits found) const {
  const double coupling = coupling_[0];
  const auto u = row_memory<double, Purpose::chart>(keys_);
  double after = 0;
  for (std::size_t i = keys_; i-- > 0;) {
    u[i] = scores[2 * i + 1] - scores[2 * i] + after;
    after = std::max(u[i] + coupling, 0.0) - std::max(u[i], 0.0);
  }
  bool chosen = false;
  for (std::size_t i = 0; i < keys_; ++i) {
    chosen = u[i] + (chosen ? coupling : 0) > 0;
    add_part(found, 2 * i + (chosen ? 1 : 0));
  }
}

void ChainOracle::best(std::span<const double> scores, PartBits found) const {
  if (most_ == 0 || most_ >= keys_) return best_of_any(scores, found);
  const double coupling = coupling_[0];
  // rest[i][left][before]: the most that keys i and later gain, where `left` of them may be chosen
  // and the key before is chosen or not.
  const std::size_t width = 2 * (most_ + 1);
  const auto rest = row_memory<double, Purpose::chart>((keys_ + 1) * width);
  std::fill(rest.end() - static_cast<std::ptrdiff_t>(width), rest.end(), 0.0);
  const auto gain = [&](std::size_t i) { return scores[2 * i + 1] - scores[2 * i]; };
  for (std::size_t i = keys_; i-- > 0;) {
    double* const here = rest.data() + i * width;
    const double* const next = here + width;
    const double chosen = gain(i);
    here[0] = here[1] = 0;
    for (std::size_t left = 1; left <= most_; ++left) {
      const double without = next[2 * left], with = chosen + next[2 * (left - 1) + 1];
      here[2 * left] = std::max(without, with);
      here[2 * left + 1] = std::max(without, with + coupling);
    }
  }
  std::size_t left = most_;
  bool chosen = false;
  for (std::size_t i = 0; i < keys_; ++i) {
    const double* const next = rest.data() + (i + 1) * width;
    const double reward = chosen ? coupling : 0;
    chosen = left > 0 && gain(i) + next[2 * (left - 1) + 1] + reward > next[2 * left];
    if (chosen) --left;
    add_part(found, 2 * i + (chosen ? 1 : 0));
  }
}

}  // namespace heed::attention
