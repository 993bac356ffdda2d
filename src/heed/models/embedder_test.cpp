// SPDX-License-Identifier: Apache-2.0
// Vectors of texts: padding and neighbours change nothing, and pairs find each other.
#include "heed/models/embedder.h"

#include <gtest/gtest.h>

#include <cmath>

#include "heed/autograd/ops.h"
#include "heed/base/testing.h"
#include "heed/models/testing.h"

namespace heed::models {
namespace {

EmbedderOptions tiny(Summary pooling, bool normalised = true) {
  return {.encoder = {.vocabulary = 20, .embedding = 5, .hidden = 4},
          .pooling = pooling,
          .normalised = normalised};
}

TEST(Embedder, GivesTheSameAloneAndInABatch) {
  for (const Summary pooling :
       {Summary::mean, Summary::maximum, Summary::last, Summary::first, Summary::root}) {
    Random random(3);
    const Embedder model(tiny(pooling), random);
    const Sequences texts = testing::random_sequences({5, 2, 7, 1}, 20, random);
    const Tensor together = model(texts).value();
    for (std::int64_t b = 0; b < 4; ++b) {
      const Tensor alone = model(testing::row_of(texts, b)).value();
      EXPECT_LE(testing::largest_difference(alone, together.slice(0, b, b + 1)), 1e-5);
      double squares = 0;
      for (const Real value : alone.values()) squares += static_cast<double>(value) * value;
      EXPECT_NEAR(squares, 1, 1e-5);
    }
  }
}

TEST(Embedder, PoolsByTheRuleOfItsName) {
  const auto vector = [](Summary pooling) {
    Random random(3);
    const Embedder model(tiny(pooling, false), random);
    return model(testing::random_sequences({4}, 20, random)).value();
  };
  EXPECT_LE(testing::largest_difference(vector(Summary::root), vector(Summary::mean) * Real(2)),
            1e-6)
      << "of four tokens";
  EXPECT_GT(testing::largest_difference(vector(Summary::first), vector(Summary::last)), 1e-4);
}

TEST(UnitRows, LeaveZerosAsTheyAre) {
  const Tensor rows = unit_rows(Variable(Tensor::of({2, 2}, {3, 4, 0, 0}))).value();
  EXPECT_NEAR(rows.at({0, 0}), .6, 1e-6);
  EXPECT_NEAR(rows.at({0, 1}), .8, 1e-6);
  EXPECT_EQ(rows.at({1, 0}), 0);
}

TEST(Contrast, IsTheLogarithmOfTheShareAmongAll) {
  const Sequences texts{Ids::of({2, 1}, {4, 5}), Ids::of({2}, {1, 1})};
  const Variable first(Tensor::of({2, 2}, {1, 0, 0, 1})), second(Tensor::of({2, 2}, {2, 0, 0, 3}));
  const Tensor losses = contrast(first, second, texts, texts, Real(.5)).value();
  EXPECT_NEAR(losses.at({0}), std::log(1 + std::exp(-2.)), 1e-5);
  EXPECT_NEAR(losses.at({1}), std::log(1 + std::exp(-2.)), 1e-5);
}

TEST(Contrast, TakesATextThatComesTwiceForNoWrongAnswer) {
  const Sequences same{Ids::of({2, 1}, {4, 4}), Ids::of({2}, {1, 1})};
  const Sequences other{Ids::of({2, 1}, {4, 5}), Ids::of({2}, {1, 1})};
  const Variable first(Tensor::of({2, 2}, {1, 0, 1, 0})), second(Tensor::of({2, 2}, {1, 0, 0, 1}));
  EXPECT_NEAR(contrast(first, second, same, other, 1).value().at({0}), 0, 1e-5);
  EXPECT_GT(contrast(first, second, other, other, 1).value().at({0}), .1);
}

TEST(Embedder, LearnsThatPairsBelongTogether) {
  Random random(5);
  Embedder model(tiny(Summary::mean), random);
  const Sequences first = testing::random_sequences({3, 3, 3, 3}, 20, random);
  const Sequences second = testing::random_sequences({4, 4, 4, 4}, 20, random);
  const auto loss = [&] {
    return sum(contrast(model(first), model(second), first, second, Real(.1)));
  };
  const Real before = loss().value().item();
  for (int i = 0; i < 60; ++i) {
    backward(loss());
    for (nn::Parameter& parameter : nn::parameters(model)) {
      Tensor& value = parameter.variable.mutable_value();
      value.assign(value - parameter.variable.gradient() * Real(.2));
      parameter.variable.clear_gradient();
    }
  }
  EXPECT_LT(loss().value().item(), .2 * before);
}

}  // namespace
}  // namespace heed::models
