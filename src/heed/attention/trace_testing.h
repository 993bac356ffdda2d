// SPDX-License-Identifier: Apache-2.0
// Comparisons of what traces hold, for tests: masked cells are equal to masked cells only.
#pragma once

#include <gtest/gtest.h>

#include "heed/attention/trace.h"

namespace heed::attention::testing {

inline void expect_same_looks(const Tensor& found, const Tensor& expected, double tolerance) {
  ASSERT_EQ(found.shape(), expected.shape())
      << found.shape().text() << " " << expected.shape().text();
  const auto a = found.values();
  const auto b = expected.values();
  for (std::size_t i = 0; i < a.size(); ++i) {
    ASSERT_EQ(is_masked(a[i]), is_masked(b[i])) << "at " << i;
    if (!is_masked(a[i])) {
      ASSERT_NEAR(a[i], b[i], tolerance) << "at " << i;
    }
  }
}

// Rows [...,Q,K] are distributions over the keys that are not masked; `allowed` says which those
// are, given query and key.
template <typename Allowed>
void expect_distributions(const Tensor& weights, const Allowed& allowed) {
  const Tensor packed = weights.packed();
  const std::int64_t keys = weights.size(-1), queries = weights.size(-2);
  for (std::int64_t row = 0; row < weights.size() / keys; ++row) {
    double sum = 0;
    for (std::int64_t key = 0; key < keys; ++key) {
      const Real weight = packed.data()[row * keys + key];
      ASSERT_EQ(is_masked(weight), !allowed(row % queries, key))
          << "row " << row << ", key " << key;
      sum += share_of(weight);
    }
    ASSERT_NEAR(sum, 1, 1e-5) << "row " << row;
  }
}

}  // namespace heed::attention::testing
