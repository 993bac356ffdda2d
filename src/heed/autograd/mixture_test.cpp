// SPDX-License-Identifier: Apache-2.0
// Mixtures of distributions: against ordinary ops, and what is refused.
#include "heed/autograd/mixture.h"

#include <gtest/gtest.h>

#include <cmath>

#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/tensor/testing.h"

namespace heed {
namespace {

using testing::expect_near;
using testing::wavy;

TEST(LogMixture, AddsWhatTheRowsOfAResultForesee) {
  const Variable logits = wavy({3, 4});
  const Variable shares = Tensor::of({3}, {Real(0.25), Real(0.75), 1});
  const Variable found = log_mixture(logits, shares, Ids::of({3}, {0, 0, 1}));
  const Variable parts = softmax(logits) * reshape(shares, {3, 1});
  expect_near(exp(select(found, 0, 0)).value(), sum(slice(parts, 0, 0, 2), 0).value(), 1e-6);
  expect_near(exp(select(found, 0, 1)).value(), select(parts, 0, 2).value(), 1e-6);
}

TEST(LogMixture, StaysFiniteWhereNothingHasAShare) {
  Variable logits = Variable::leaf(wavy({1, 3}));
  Variable shares = Variable::leaf(Tensor::zeros({1}));
  const Variable found = log_mixture(logits, shares, Ids::of({1}, {0}));
  backward(sum(found));
  for (const Real y : found.value().values()) EXPECT_TRUE(std::isfinite(y));
  for (const Real d : logits.gradient().values()) EXPECT_EQ(d, 0);
  EXPECT_EQ(shares.gradient().at({0}), 0);
}

TEST(LogMixture, RefusesRowsThatAreNotInOrder) {
  const Variable logits = wavy({3, 2});
  const Variable shares = Tensor::full({3}, 1);
  for (const Ids& rows :
       {Ids::of({3}, {1, 1, 2}), Ids::of({3}, {0, 2, 2}), Ids::of({3}, {0, 1, 0})}) {
    EXPECT_THROW(log_mixture(logits, shares, rows), UsageError);
  }
  EXPECT_THROW(log_mixture(logits, shares, Ids::of({2}, {0, 1})), UsageError);
  EXPECT_THROW(log_mixture(logits, Tensor::full({2}, 1), Ids::of({3}, {0, 0, 0})), UsageError);
}

}  // namespace
}  // namespace heed
