// SPDX-License-Identifier: Apache-2.0
// The divisors, and the bound that makes stopping early exact.
#include "heed/decoding/length_penalty.h"

#include <algorithm>
#include <cmath>

namespace heed::decoding {

const std::vector<std::string>& length_scale_names() {
  static const std::vector<std::string> names = {"none", "wu", "power"};
  return names;
}

double LengthPenalty::divisor(std::int64_t length) const {
  const auto count = static_cast<double>(length);
  switch (scale) {
    case LengthScale::wu:
      return std::pow((5 + count) / 6, alpha);
    case LengthScale::power:
      return std::pow(count, alpha);
    case LengthScale::none:
      break;
  }
  return 1;
}

double LengthPenalty::bound(double log_probability, std::int64_t least, std::int64_t most) const {
  return std::max(score(log_probability, least), score(log_probability, most));
}

}  // namespace heed::decoding
