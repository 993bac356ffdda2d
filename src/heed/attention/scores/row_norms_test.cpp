// SPDX-License-Identifier: Apache-2.0
// Rows of length one, and rows with their norm beside them.
#include "heed/attention/scores/row_norms.h"

#include <gtest/gtest.h>

#include <cmath>

#include "heed/autograd/ops.h"
#include "heed/tensor/testing.h"

namespace heed::attention {
namespace {

using heed::testing::expect_near;

TEST(UnitRows, HaveLengthOneExceptZero) {
  const Variable x(Tensor::of({3, 2}, {3, 4, 0, 0, -8e18, 6e18}));
  expect_near(unit_rows(x).value(), Tensor::of({3, 2}, {0.6, 0.8, 0, 0, -0.8, 0.6}), 1e-6);
}

TEST(UnitRows, GiveARowWithoutGradientNone) {
  const Variable x = Variable::leaf(Tensor::of({2, 2}, {static_cast<Real>(NAN), 1, 0, 2}));
  backward(unit_rows(x), Tensor::of({2, 2}, {0, 0, 1, 1}));
  expect_near(x.gradient(), Tensor::of({2, 2}, {0, 0, 0.5, 0}), 1e-6);
}

TEST(WithNorm, PutsTheNormBeforeOrBehindTheOne) {
  const Variable x(Tensor::of({1, 2}, {3, 4}));
  expect_near(with_norm(x, NormPlace::first).value(), Tensor::of({1, 4}, {3, 4, -12.5, 1}), 0);
  expect_near(with_norm(x, NormPlace::last).value(), Tensor::of({1, 4}, {3, 4, 1, -12.5}), 0);
}

}  // namespace
}  // namespace heed::attention
