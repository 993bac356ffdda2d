// SPDX-License-Identifier: Apache-2.0
// Performer: how near it comes to softmax attention, and that its directions are its seed's.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "heed/attention/attention.h"
#include "heed/autograd/ops.h"
#include "heed/tensor/testing.h"

namespace heed::attention {
namespace {

using heed::testing::expect_near;
using heed::testing::message_of;
using heed::testing::wavy;

std::unique_ptr<Attention> look_of(const std::string& text, std::int64_t width = 16) {
  Random random(1);
  return make_attention(
      text,
      {.query_width = width, .key_width = width, .value_width = 3, .heads = 2, .key_heads = 2},
      random);
}

Tensor normal(const Shape& shape, std::uint64_t seed) {
  Random random(seed);
  Tensor x(shape);
  fill_normal(std::span(x.mutable_data(), static_cast<std::size_t>(x.size())), random);
  return x;
}

// Of queries and keys of normal numbers, whose scaled scores have a deviation of 1/4: the variance
// of a product of features grows with exp |q + k|², and for larger ones thousands of features are
// few.
double error_of(int features, std::uint64_t seed) {
  const Tensor query = normal({1, 2, 24, 16}, 1) * Real(0.5);
  const Tensor keys = normal({1, 2, 24, 16}, 2) * Real(0.5);
  const Tensor values = normal({1, 2, 24, 3}, 3);
  const auto weights = [&](const std::string& text) {
    const auto look = look_of(text);
    return look->attend(query, look->memory(keys, values), {}, {.weights = true}).weights.value();
  };
  const Tensor exact = weights("scaled_dot");
  const Tensor found =
      weights(fmt::format("performer(features={}, epsilon=0, seed={})", features, seed));
  double error = 0;
  for (std::int64_t i = 0; i < exact.size(); ++i) {
    error += std::abs(static_cast<double>(found.values()[static_cast<std::size_t>(i)] -
                                          exact.values()[static_cast<std::size_t>(i)]));
  }
  return error / static_cast<double>(exact.size());
}

TEST(Performer, ComesNearerToSoftmaxWithTheRootOfItsFeatures) {
  double few = 0, many = 0;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    few += error_of(64, seed) / 4;
    many += error_of(1024, seed) / 4;
  }
  // Sixteen times as many: a quarter of the error.
  EXPECT_GT(few / many, 3);
  EXPECT_LT(few / many, 6);
  EXPECT_LT(many, 0.01);  // weights are 1/24 in the mean
}

TEST(Performer, IsTheSameForTheSameSeedAndAnotherForAnother) {
  const Tensor query = wavy({1, 2, 4, 16}), keys = wavy({1, 2, 5, 16}, 1);
  const Tensor values = wavy({1, 2, 5, 3}, 2);
  const auto context = [&](const char* text) {
    const auto look = look_of(text);
    return look->attend(query, look->memory(keys, values)).context.value();
  };
  const Tensor one = context("performer(features=8)");
  expect_near(context("performer(features=8, seed=1)"), one, 0);
  EXPECT_NE(context("performer(features=8, seed=2)").values(), one.values());
}

// exp of the longest direction's square is beyond a float here.
TEST(Performer, StaysFiniteInWideHeads) {
  const auto look = look_of("performer(features=600)", 256);
  const Tensor query = normal({1, 2, 3, 256}, 1), values = normal({1, 2, 5, 3}, 3);
  for (const Real size : {Real{1}, Real{5}}) {
    const Variable keys = Variable::leaf(normal({1, 2, 5, 256}, 2) * size);
    const Variable context = look->attend(query * size, look->memory(keys, values)).context;
    backward(sum(context));
    for (const Real x : context.value().values()) EXPECT_TRUE(std::isfinite(x));
    for (const Real x : keys.gradient().values()) EXPECT_TRUE(std::isfinite(x));
  }
}

TEST(Performer, SaysWhatItCannotBe) {
  EXPECT_NE(message_of([] { look_of("performer(features=0)"); }).find("features"),
            std::string::npos);
  Random random(1);
  EXPECT_EQ(message_of([&] {
              make_attention("performer", {.query_width = 4, .key_width = 6, .value_width = 4},
                             random);
            }),
            "performer: queries of width 4 and keys of width 6; their widths must be equal");
}

}  // namespace
}  // namespace heed::attention
