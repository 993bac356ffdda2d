// SPDX-License-Identifier: Apache-2.0
// The best run of keys, in one sweep that keeps the best start.
#include "heed/attention/normalisers/span_oracle.h"

#include <limits>

namespace heed::attention {

void SpanOracle::best(std::span<const double> scores, PartBits found) const {
  double sum = 0, highest = -std::numeric_limits<double>::infinity();
  std::size_t begin = 0, first = 0, last = 0;
  for (std::size_t i = 0; i < keys_; ++i) {
    if (!(sum > 0)) {
      sum = 0;
      begin = i;
    }
    sum += scores[2 * i + 1] - scores[2 * i];
    if (sum > highest) {
      highest = sum;
      first = begin;
      last = i;
    }
  }
  for (std::size_t i = 0; i < keys_; ++i) {
    add_part(found, 2 * i + (i >= first && i <= last ? 1 : 0));
  }
}

}  // namespace heed::attention
