// SPDX-License-Identifier: Apache-2.0
// Nyström attention: exact with a landmark for each token, and near with fewer.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "heed/attention/attention.h"
#include "heed/nn/initialisers.h"
#include "heed/tensor/testing.h"

namespace heed::attention {
namespace {

using heed::testing::expect_near;
using heed::testing::message_of;

// Neighbours are alike, as the hidden states of a text are: a walk of small steps.
Tensor neighbours_alike(const Shape& shape, std::uint64_t seed) {
  Random random(seed);
  Tensor x = nn::normal(shape, random, 0, Real(0.3));
  const std::int64_t width = shape[3];
  for (std::int64_t row = 1; row < x.size() / width; ++row) {
    if (row % shape[2] == 0) continue;
    for (std::int64_t d = 0; d < width; ++d) {
      x.mutable_data()[row * width + d] += x.data()[(row - 1) * width + d] * Real(0.9);
    }
  }
  return x;
}

Tensor nystrom_weights(const std::string& text, std::int64_t tokens) {
  Random random(1);
  const auto look =
      make_attention(text, {.query_width = 8, .key_width = 8, .value_width = 2}, random);
  return look
      ->attend(neighbours_alike({1, 1, tokens, 8}, 1),
               look->memory(neighbours_alike({1, 1, tokens, 8}, 2),
                            neighbours_alike({1, 1, tokens, 2}, 3)),
               {}, {.weights = true})
      .weights.value();
}

double nystrom_error(int landmarks) {
  const Tensor exact = nystrom_weights("scaled_dot", 60);
  const Tensor found = nystrom_weights(fmt::format("nystrom(landmarks={})", landmarks), 60);
  double error = 0;
  for (std::size_t i = 0; i < exact.values().size(); ++i) {
    error += std::abs(static_cast<double>(found.values()[i] - exact.values()[i]));
  }
  return error / static_cast<double>(exact.size());
}

TEST(Nystrom, IsSoftmaxAttentionWithALandmarkForEachToken) {
  for (const char* text :
       {"nystrom(landmarks=6, iterations=30)", "nystrom(landmarks=64, iterations=30)"}) {
    expect_near(nystrom_weights(text, 6), nystrom_weights("scaled_dot", 6), 2e-3);
  }
}

TEST(Nystrom, ComesNearerWithMoreLandmarks) {
  const double few = nystrom_error(3), more = nystrom_error(12);
  EXPECT_LT(more, few / 1.5);
  EXPECT_LT(more, 0.005);  // weights are 1/60 in the mean
}

TEST(Nystrom, IsRefusedWhereQueriesComeOneByOne) {
  Random random(1);
  const auto look =
      make_attention("nystrom", {.query_width = 2, .key_width = 2, .value_width = 2}, random);
  EXPECT_TRUE(look->weighs_all_queries());
  EXPECT_NE(message_of([&] { check_stepwise("decoder", *look); }).find("nystrom"),
            std::string::npos);
  EXPECT_NE(message_of([&] { check_causal("decoder", *look); }).find("nystrom"), std::string::npos);
}

}  // namespace
}  // namespace heed::attention
