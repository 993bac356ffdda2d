// SPDX-License-Identifier: Apache-2.0
#include "heed/tensor/arithmetic.h"

#include <gtest/gtest.h>

#include <limits>

#include "heed/kernels/elementwise.h"
#include "heed/tensor/reduce.h"
#include "heed/tensor/testing.h"

namespace heed {
namespace {

using testing::counting;
using testing::expect_near;
using testing::wavy;

// Element by element through at(): the reference every broadcast is compared with.
Tensor reference_sum(const Tensor& a, const Tensor& b) {
  const Shape shape = broadcast(a.shape(), b.shape(), "test");
  const Tensor wide_a = a.expand(shape);
  const Tensor wide_b = b.expand(shape);
  const auto va = wide_a.values();
  const auto vb = wide_b.values();
  Tensor y(shape);
  for (std::int64_t i = 0; i < y.size(); ++i) y.mutable_data()[i] = va[i] + vb[i];
  return y;
}

TEST(Arithmetic, BroadcastsEveryPairOfShapes) {
  const std::vector<Shape> shapes{{},        {1},       {3},       {2, 3},    {2, 1},   {1, 3},
                                  {4, 2, 3}, {4, 1, 3}, {4, 2, 1}, {1, 2, 1}, {4, 1, 1}};
  for (const Shape& a : shapes) {
    for (const Shape& b : shapes) {
      SCOPED_TRACE(a.text() + " + " + b.text());
      expect_near(wavy(a) + wavy(b, 1), reference_sum(wavy(a), wavy(b, 1)), 0);
    }
  }
}

TEST(Arithmetic, ReadsStridedViews) {
  const Tensor a = wavy({6, 5, 4}).transpose(0, 2).slice(1, 0, 5, 2);
  const Tensor b = wavy({6, 3}, 1).transpose().unsqueeze(0);
  expect_near(a + b, reference_sum(a, b), 0);
}

TEST(Arithmetic, ComputesEachOperation) {
  const Tensor a = Tensor::of({2}, {6, -2});
  const Tensor b = Tensor::of({2}, {3, 4});
  EXPECT_EQ((a - b).values(), (std::vector<Real>{3, -6}));
  EXPECT_EQ((a * b).values(), (std::vector<Real>{18, -8}));
  EXPECT_EQ((a / b).values(), (std::vector<Real>{2, Real(-0.5)}));
  EXPECT_EQ((Real(1) - a).values(), (std::vector<Real>{-5, 3}));
  EXPECT_EQ((-a + Real(1)).values(), (std::vector<Real>{-5, 3}));
  EXPECT_EQ((a / Real(2)).values(), (std::vector<Real>{3, -1}));
}

TEST(Arithmetic, AddsInPlaceWithBroadcasting) {
  Tensor y = counting({2, 3});
  add_to(y, Tensor::of({3}, {10, 20, 30}), Real(2));
  EXPECT_EQ(y.values(), (std::vector<Real>{20, 41, 62, 23, 44, 65}));
  EXPECT_THROW(add_to(y, Tensor::zeros({2, 1, 3})), UsageError);
}

TEST(Arithmetic, SelectsByConditionWithoutTouchingTheOtherSide) {
  const Real nan = std::numeric_limits<Real>::quiet_NaN();
  const Tensor y = where(Tensor::of({2}, {1, 0}), Tensor::of({2}, {5, nan}), Tensor::scalar(7));
  EXPECT_EQ(y.values(), (std::vector<Real>{5, 7}));
}

TEST(Arithmetic, SumsBackToTheShapeBeforeBroadcasting) {
  const Tensor x = counting({2, 3, 4});
  EXPECT_EQ(sum_to(x, {4}).values(), (std::vector<Real>{60, 66, 72, 78}));
  EXPECT_EQ(sum_to(x, {3, 1}).values(), (std::vector<Real>{60, 92, 124}));
  EXPECT_EQ(sum_to(x, {}).item(), 276);
}

TEST(Reduce, SumsAlongEveryAxis) {
  const Tensor x = counting({2, 3, 4});
  EXPECT_EQ(sum(x, 0).values(),
            (std::vector<Real>{12, 14, 16, 18, 20, 22, 24, 26, 28, 30, 32, 34}));
  EXPECT_EQ(sum(x, 1).values(), (std::vector<Real>{12, 15, 18, 21, 48, 51, 54, 57}));
  EXPECT_EQ(sum(x, -1).values(), (std::vector<Real>{6, 22, 38, 54, 70, 86}));
  EXPECT_EQ(sum(x.transpose(0, 2), 0).values(), (std::vector<Real>{6, 54, 22, 70, 38, 86}));
  EXPECT_EQ(sum(Tensor::zeros({0, 2}), 0).values(), (std::vector<Real>{0, 0}));
}

TEST(Reduce, FindsMaximaAndTheLowestIndexOnTies) {
  const Maximum rows = maximum(Tensor::of({2, 3}, {1, 5, 5, -2, -3, -2}), 1);
  EXPECT_EQ(rows.values.values(), (std::vector<Real>{5, -2}));
  EXPECT_EQ(rows.indices.values(), (std::vector<std::int32_t>{1, 0}));
  const Maximum columns = maximum(Tensor::of({2, 3}, {1, 5, 5, 1, -3, 6}), 0);
  EXPECT_EQ(columns.values.values(), (std::vector<Real>{1, 5, 6}));
  EXPECT_EQ(columns.indices.values(), (std::vector<std::int32_t>{0, 0, 1}));
  const Maximum inner = maximum(Tensor::of({2, 2, 2}, {1, 9, 3, 8, 7, 5, 6, 6}), 1);
  EXPECT_EQ(inner.values.values(), (std::vector<Real>{3, 9, 7, 6}));
  EXPECT_EQ(inner.indices.values(), (std::vector<std::int32_t>{1, 0, 0, 1}));
  EXPECT_THROW(maximum(Tensor::zeros({2, 0}), 1), UsageError);
}

TEST(Reduce, RunsSumsBothWays) {
  const Tensor x = Tensor::of({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(cumulative_sum(x, 1).values(), (std::vector<Real>{1, 3, 6, 4, 9, 15}));
  EXPECT_EQ(cumulative_sum(x, 0).values(), (std::vector<Real>{1, 2, 3, 5, 7, 9}));
  EXPECT_EQ(cumulative_sum(x, 1, Running::reverse).values(),
            (std::vector<Real>{6, 5, 3, 15, 11, 6}));
}

}  // namespace
}  // namespace heed
