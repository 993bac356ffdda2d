// SPDX-License-Identifier: Apache-2.0
// NaN named before it spreads into figures.
#include "heed/pipeline/probability.h"

#include <cmath>

#include "heed/base/error.h"

namespace heed::pipeline {

double require_probability(double value, std::string_view what, std::size_t number) {
  if (!std::isnan(value)) return value;
  throw DataError(
      "the model gives no probability of {} {}: its weights are damaged, or training has diverged; "
      "train it again, with a lower learning rate",
      what, number);
}

}  // namespace heed::pipeline
