// SPDX-License-Identifier: Apache-2.0
#include "heed/tensor/matmul.h"

#include <gtest/gtest.h>

#include "heed/tensor/arithmetic.h"
#include "heed/tensor/testing.h"

namespace heed {
namespace {

using testing::expect_near;
using testing::message_of;
using testing::wavy;

// One multiplication at a time, for tensors of rank 2.
Tensor reference(const Tensor& a, const Tensor& b) {
  Tensor y(Shape{a.size(0), b.size(1)});
  for (std::int64_t i = 0; i < a.size(0); ++i) {
    for (std::int64_t j = 0; j < b.size(1); ++j) {
      double total = 0;
      for (std::int64_t k = 0; k < a.size(1); ++k) {
        total += static_cast<double>(a.at({i, k})) * static_cast<double>(b.at({k, j}));
      }
      y.mutable_data()[i * b.size(1) + j] = static_cast<Real>(total);
    }
  }
  return y;
}

TEST(Matmul, MultipliesStraightAndTransposedViewsAlike) {
  for (std::int64_t m : {1, 2, 7}) {
    for (std::int64_t k : {1, 3, 16}) {
      for (std::int64_t n : {1, 5, 17}) {
        SCOPED_TRACE(::testing::Message() << m << " x " << k << " x " << n);
        const Tensor a = wavy({m, k});
        const Tensor b = wavy({k, n}, 1);
        const Tensor expected = reference(a, b);
        expect_near(matmul(a, b), expected, 1e-5);
        const Tensor a_turned = a.transpose().clone().transpose();
        const Tensor b_turned = b.transpose().clone().transpose();
        expect_near(matmul(a_turned, b_turned), expected, 1e-5);
        // Rows inside a wider matrix, and a view with no unit stride at all.
        const Tensor a_wide = wavy({m, 2 * k}).slice(1, 0, 2 * k, 2);
        expect_near(matmul(a_wide, b), reference(a_wide, b), 1e-5);
      }
    }
  }
}

TEST(Matmul, BroadcastsLeadingAxes) {
  const Tensor a = wavy({2, 1, 3, 4});
  const Tensor b = wavy({5, 4, 2}, 1);
  const Tensor y = matmul(a, b);
  ASSERT_EQ(y.shape(), (Shape{2, 5, 3, 2}));
  for (std::int64_t i = 0; i < 2; ++i) {
    for (std::int64_t j = 0; j < 5; ++j) {
      expect_near(y.select(0, i).select(0, j),
                  reference(a.select(0, i).select(0, 0), b.select(0, j)), 1e-5);
    }
  }
}

TEST(Matmul, ReadsHeadsOutOfOnePackedProjection) {
  // [B,S,H,D] seen as [B,H,S,D]: what attention does with its projections.
  const Tensor q = wavy({2, 5, 3, 4}).transpose(1, 2);
  const Tensor k = wavy({2, 6, 3, 4}, 1).transpose(1, 2);
  const Tensor scores = matmul(q, k.transpose());
  ASSERT_EQ(scores.shape(), (Shape{2, 3, 5, 6}));
  for (std::int64_t b = 0; b < 2; ++b) {
    for (std::int64_t h = 0; h < 3; ++h) {
      expect_near(scores.select(0, b).select(0, h),
                  reference(q.select(0, b).select(0, h), k.select(0, b).select(0, h).transpose()),
                  1e-5);
    }
  }
}

TEST(Matmul, FoldsABatchIntoTheRows) {
  const Tensor x = wavy({2, 3, 4});
  const Tensor w = wavy({4, 5}, 1);
  expect_near(matmul(x, w).reshape({6, 5}), reference(x.reshape({6, 4}), w), 1e-5);
  const Tensor turned = x.transpose(0, 1);  // whose rows do not follow each other
  expect_near(matmul(turned, w).reshape({6, 5}), reference(turned.packed().reshape({6, 4}), w),
              1e-5);
}

TEST(Matmul, AddsToWhatIsThere) {
  Tensor y = Tensor::full({2, 2}, 1);
  add_product(y, Tensor::of({2, 1}, {1, 2}), Tensor::of({1, 2}, {10, 20}));
  EXPECT_EQ(y.values(), (std::vector<Real>{11, 21, 21, 41}));
}

TEST(Matmul, GivesZerosForAnEmptyInnerAxis) {
  EXPECT_EQ(matmul(Tensor::zeros({2, 0}), Tensor::zeros({0, 2})).values(),
            (std::vector<Real>{0, 0, 0, 0}));
  EXPECT_EQ(matmul(Tensor::zeros({0, 2}), Tensor::zeros({2, 3})).size(), 0);
}

TEST(Matmul, SaysWhatWouldFit) {
  const std::string message = message_of([] {
    matmul(Tensor::zeros({2, 3}), Tensor::zeros({4, 5}));
  });
  for (const char* part : {"matmul", "[2,3]", "[4,5]", "needs 3 rows"}) {
    EXPECT_NE(message.find(part), std::string::npos) << message;
  }
  EXPECT_THROW(matmul(Tensor::zeros({3}), Tensor::zeros({3, 2})), UsageError);
}

TEST(Linear, AppliesWeightBiasAndActivation) {
  const Tensor x = wavy({2, 3, 4});
  const Tensor w = wavy({5, 4}, 1);
  const Tensor bias = wavy({5}, 2);
  const Tensor plain = matmul(x, w.transpose()) + bias;
  expect_near(linear(x, w, bias), plain, 1e-5);
  expect_near(linear(x, w, bias, Activation::relu),
              binary(kernels::Binary::maximum, plain, Tensor::scalar(0), "relu"), 1e-5);
  EXPECT_EQ(linear(wavy({4}), w, {}).shape(), (Shape{5}));
  EXPECT_THROW(linear(x, wavy({5, 3}), {}), UsageError);
  EXPECT_THROW(linear(x, w, wavy({4})), UsageError);
}

}  // namespace
}  // namespace heed
