// SPDX-License-Identifier: Apache-2.0
#include "heed/nn/initialisers.h"

#include <gtest/gtest.h>

#include <cmath>

#include "heed/tensor/matmul.h"
#include "heed/tensor/testing.h"

namespace heed::nn {
namespace {

double deviation(const Tensor& x) {
  double total = 0;
  double squares = 0;
  for (const Real value : x.values()) {
    total += value;
    squares += static_cast<double>(value) * value;
  }
  const double n = static_cast<double>(x.size());
  return std::sqrt(squares / n - total * total / n / n);
}

TEST(Initialisers, HaveTheDeviationsOfTheirPapers) {
  Random random(1);
  const Shape shape{300, 200};
  EXPECT_NEAR(deviation(glorot_uniform(shape, random)), std::sqrt(2.0 / 500), 1e-3);
  EXPECT_NEAR(deviation(glorot_normal(shape, random)), std::sqrt(2.0 / 500), 1e-3);
  EXPECT_NEAR(deviation(he_uniform(shape, random)), std::sqrt(2.0 / 200), 2e-3);
  EXPECT_NEAR(deviation(he_normal(shape, random)), std::sqrt(2.0 / 200), 2e-3);
  EXPECT_NEAR(deviation(fan_in_uniform(shape, random)), std::sqrt(1.0 / 200 / 3), 1e-3);
  // A convolution's window counts for both fans.
  EXPECT_NEAR(deviation(he_normal({100, 50, 3, 3}, random)), std::sqrt(2.0 / 450), 2e-3);
}

TEST(Initialisers, GiveTheSameModelForTheSameSeed) {
  Random one(7);
  Random two(7);
  EXPECT_EQ(glorot_uniform({5, 6}, one).values(), glorot_uniform({5, 6}, two).values());
}

TEST(Initialisers, MakeOrthogonalRowsOrColumnsWhicheverAreFewer) {
  Random random(1);
  for (const auto& [rows, columns] : {std::pair{40, 60}, std::pair{60, 40}}) {
    const Tensor q = orthogonal({rows, columns}, random);
    const Tensor gram = rows < columns ? matmul(q, q.transpose()) : matmul(q.transpose(), q);
    for (std::int64_t i = 0; i < 40; ++i) {
      for (std::int64_t j = 0; j < 40; ++j) EXPECT_NEAR(gram.at({i, j}), i == j ? 1 : 0, 1e-5);
    }
  }
}

TEST(Initialisers, GiveZerosWhereNobodyAsksForMore) {
  Random random(1), other(1);
  {
    const ZeroWeights outer;
    { const ZeroWeights inner; }
    for (const Tensor& x : {normal({2, 3}, random), uniform({2, 3}, random, 1, 2),
                            orthogonal({3, 2}, random), glorot_normal({2, 3}, random)}) {
      for (const Real value : x.values()) EXPECT_EQ(value, 0);
    }
  }
  EXPECT_EQ(normal({2}, random).values(), normal({2}, other).values()) << "nothing was drawn";
}

TEST(Initialisers, RefuseShapesWithoutFans) {
  Random random(1);
  EXPECT_THROW(glorot_uniform({5}, random), UsageError);
  EXPECT_THROW(orthogonal({5}, random), UsageError);
}

}  // namespace
}  // namespace heed::nn
