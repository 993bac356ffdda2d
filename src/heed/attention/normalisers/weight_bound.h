// SPDX-License-Identifier: Apache-2.0
// An upper bound on weights: one for all keys, or one for each where the call brings them.
#pragma once

#include <cstdint>
#include <string_view>

#include "heed/attention/normaliser.h"
#include "heed/base/error.h"
#include "heed/base/options.h"

namespace heed::attention {

struct WeightBound {
  double for_all = 1;

  void declare(Options& options) {
    options.add("bound", for_all, "the largest weight a key may have, where no bounds are given")
        .above(0)
        .at_most(1);
  }

  // n keys at the bound must be able to add up to 1.
  void check(std::string_view normaliser, std::int64_t n) const {
    if (for_all * static_cast<double>(n) >= 1) return;
    throw UsageError(
        "{}: bound {} over {} keys adds up to less than 1; it must be at least one part in as many "
        "as there are keys",
        normaliser, for_all, n);
  }

  template <typename T>
  T of(const Row<T>& row, std::size_t key) const {
    return row.bounds.empty() ? static_cast<T>(for_all) : row.bounds[key];
  }
};

}  // namespace heed::attention
