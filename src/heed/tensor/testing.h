// SPDX-License-Identifier: Apache-2.0
// For tests above tensor/: simple tensors, comparisons and the text of errors.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "heed/base/error.h"
#include "heed/tensor/tensor.h"

namespace heed::testing {

// 0, 1, 2, ... in logical order.
inline Tensor counting(const Shape& shape) {
  Tensor x(shape);
  Real* data = x.mutable_data();
  for (std::int64_t i = 0; i < x.size(); ++i) data[i] = static_cast<Real>(i);
  return x;
}

// Irregular values in [-1, 1]; another phase, other values.
inline Tensor wavy(const Shape& shape, double phase = 0) {
  Tensor x(shape);
  Real* data = x.mutable_data();
  for (std::int64_t i = 0; i < x.size(); ++i) {
    data[i] =
        static_cast<Real>(std::sin(12.9898 * static_cast<double>(i + 1) + 78.233 * (phase + 0.1)));
  }
  return x;
}

inline void expect_near(const Tensor& found, const Tensor& expected, double tolerance) {
  ASSERT_EQ(found.shape(), expected.shape())
      << found.shape().text() << " " << expected.shape().text();
  const auto a = found.values();
  const auto b = expected.values();
  for (std::size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a[i], b[i], tolerance) << "at " << i;
}

// What the UsageError thrown by body says; fails the test when there is none.
template <typename Body>
std::string message_of(Body&& body) {
  try {
    body();
  } catch (const UsageError& error) {
    return error.what();
  }
  ADD_FAILURE() << "no UsageError";
  return "";
}

}  // namespace heed::testing
