// SPDX-License-Identifier: Apache-2.0
#include "heed/tensor/packed_weights.h"

#include <gtest/gtest.h>

#include <limits>

#include "heed/base/error.h"
#include "heed/tensor/matmul.h"
#include "heed/tensor/testing.h"

namespace heed {
namespace {

using testing::expect_near;
using testing::wavy;

TEST(PackedWeights, GiveTheProductsOfTheWeightItself) {
  PackedWeights weights;
  for (const std::int64_t rows : {1, 3, 32, 100}) {
    for (const std::int64_t out : {1, 16, 50}) {
      const Tensor x = wavy({rows, 1, 20});
      const Tensor w = wavy({out, 20}, 1);
      const Tensor bias = wavy({out}, 2);
      const Tensor expected = linear(x, w, bias, Activation::relu);
      const PackedWeights::Scope scope(weights);
      expect_near(linear(x, w, bias, Activation::relu), expected, 1e-5);
    }
  }
}

TEST(PackedWeights, PackAWeightOnceAndAnewWhenItWasWritten) {
  PackedWeights weights;
  const Tensor x = wavy({4, 8});
  Tensor w = wavy({6, 8}, 1);
  const PackedWeights::Scope scope(weights);
  linear(x, w, {});
  linear(x, w, {});
  EXPECT_EQ(weights.packings(), 1);
  for (std::int64_t i = 0; i < w.size(); ++i) w.mutable_data()[i] = 0;
  EXPECT_EQ(linear(x, w, {}).at({3, 5}), 0);
  EXPECT_EQ(weights.packings(), 2);
}

TEST(PackedWeights, AreUsedWithinTheirScopeOnly) {
  PackedWeights outer, inner;
  const Tensor x = wavy({4, 8});
  const Tensor w = wavy({6, 8}, 1);
  {
    const PackedWeights::Scope scope(outer);
    {
      const PackedWeights::Scope nested(inner);
      linear(x, w, {});
    }
    EXPECT_EQ(PackedWeights::current(), &outer);
  }
  linear(x, w, {});
  EXPECT_EQ(PackedWeights::current(), nullptr);
  EXPECT_EQ(inner.packings(), 1);
  EXPECT_EQ(outer.packings(), 0);
}

TEST(PackedWeights, OfOneRowAreReadWhereTheyLie) {
  PackedWeights weights;
  const Tensor x = wavy({1, 8}), w = wavy({6, 8}, 1);
  const Tensor expected = linear(x, w, {}, Activation::gelu);
  const PackedWeights::Scope scope(weights);
  expect_near(linear(x, w, {}, Activation::gelu), expected, 1e-6);
  EXPECT_EQ(weights.packings(), 0);
  EXPECT_EQ(weights.bytes(), 0);
}

TEST(PackedWeights, OfFewerBitsGiveNearlyTheSameProducts) {
  for (const auto& [form, close] :
       {std::pair{WeightForm::bf16, 1e-2}, std::pair{WeightForm::int8, 2e-2}}) {
    PackedWeights weights(form);
    const PackedWeights::Scope scope(weights);
    EXPECT_EQ(PackedWeights().form(), form) << "that of the scope";
    const Tensor w = wavy({50, 40}, 1), bias = wavy({50}, 2);
    for (const std::int64_t rows : {1, 3, 32}) {
      const Tensor x = wavy({rows, 40});
      PackedWeights exact(WeightForm::f32);
      const PackedWeights::Scope inner(exact);
      const Tensor expected = linear(x, w, bias, Activation::swish);
      const PackedWeights::Scope again(weights);
      expect_near(linear(x, w, bias, Activation::swish), expected, 40 * close);
    }
    EXPECT_EQ(weights.packings(), 1);
    EXPECT_EQ(weights.bytes(), form == WeightForm::bf16
                                   ? 2 * 50 * 40
                                   : 50 * 40 + 50 * static_cast<std::int64_t>(sizeof(Real)));
    Tensor broken = w.clone();
    broken.mutable_data()[7] = std::numeric_limits<Real>::infinity();
    EXPECT_THROW(linear(wavy({1, 40}), broken, {}), DataError);
  }
}

TEST(PackedWeights, LeaveViewsThatAreNotDenseToTheOrdinaryProduct) {
  PackedWeights weights;
  const Tensor x = wavy({4, 8});
  const Tensor w = wavy({8, 6}, 1).transpose();
  const Tensor expected = linear(x, w, {});
  const PackedWeights::Scope scope(weights);
  expect_near(linear(x, w, {}), expected, 1e-6);
  EXPECT_EQ(weights.packings(), 0);
}

}  // namespace
}  // namespace heed
