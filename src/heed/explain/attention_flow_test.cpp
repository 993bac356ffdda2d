// SPDX-License-Identifier: Apache-2.0
// Flows by hand, against cutting the network in every way, and of zero and one layer.
#include "heed/explain/attention_flow.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <vector>

#include "heed/base/error.h"
#include "heed/base/random.h"
#include "heed/base/testing.h"

namespace heed::explain {
namespace {

TEST(AttentionFlow, IsThatOfTheWorkedExample) {
  // Abnar & Zuidema's network: 2 tokens, 2 layers.
  const std::array layers = {Tensor::of({1, 2, 2}, {.5, .5, 0, 1}),
                             Tensor::of({1, 2, 2}, {1, 0, .5, .5})};
  const Tensor flow = attention_flow(layers);
  EXPECT_NEAR(flow.at({1, 0}), .2, 1e-6);
  EXPECT_NEAR(flow.at({1, 1}), .8, 1e-6);
}

TEST(AttentionFlow, OfOneLayerIsTheLayer) {
  const std::array layer = {Tensor::of({2, 2}, {.3, .7, .6, .4})};
  const Tensor flow = flow_through(layer);
  for (std::int64_t i = 0; i < 2; ++i) {
    for (std::int64_t j = 0; j < 2; ++j) {
      EXPECT_NEAR(flow.at({i, j}), layer[0].at({i, j}), 1e-6);
    }
  }
}

// The largest flow is the smallest cut (Ford & Fulkerson): every set of inner nodes on the side of
// the source.
double smallest_cut(std::span<const Tensor> layers, std::int64_t top, std::int64_t bottom) {
  const std::int64_t tokens = layers[0].size(0);
  const auto depth = static_cast<std::int64_t>(layers.size());
  const std::int64_t inner = (depth - 1) * tokens;
  double smallest = std::numeric_limits<double>::infinity();
  for (std::int64_t side = 0; side < std::int64_t{1} << inner; ++side) {
    const auto with_source = [&](std::int64_t height, std::int64_t token) {
      if (height == depth) return token == top;
      if (height == 0) return token != bottom;  // inputs but the sink lead nowhere
      return (side >> ((height - 1) * tokens + token) & 1) != 0;
    };
    double cut = 0;
    for (std::int64_t l = 0; l < depth; ++l) {
      for (std::int64_t a = 0; a < tokens; ++a) {
        if (l + 1 == depth && a != top) continue;
        for (std::int64_t b = 0; b < tokens; ++b) {
          if (with_source(l + 1, a) && !with_source(l, b)) {
            cut += layers[static_cast<std::size_t>(l)].at({a, b});
          }
        }
      }
    }
    smallest = std::min(smallest, cut);
  }
  return smallest;
}

TEST(AttentionFlow, IsTheSmallestCut) {
  Random random(4);
  for (int round = 0; round < 60; ++round) {
    const std::int64_t tokens = 2 + static_cast<std::int64_t>(random.integer(2));
    const std::size_t depth = 2 + random.integer(3);
    std::vector<Tensor> layers;
    for (std::size_t l = 0; l < depth; ++l) {
      Tensor& layer = layers.emplace_back(Tensor({tokens, tokens}));
      for (std::int64_t i = 0; i < tokens * tokens; ++i) {
        const bool closed = random.integer(3) == 0;
        layer.mutable_data()[i] = closed ? Real{0} : random.uniform<Real>();
      }
    }
    const Tensor flow = flow_through(layers);
    for (std::int64_t t = 0; t < tokens; ++t) {
      std::vector<double> cuts;
      double sum = 0;
      for (std::int64_t j = 0; j < tokens; ++j) {
        sum += cuts.emplace_back(smallest_cut(layers, t, j));
      }
      for (std::int64_t j = 0; j < tokens; ++j) {
        const double share = sum > 0 ? cuts[static_cast<std::size_t>(j)] / sum : 0;
        EXPECT_NEAR(flow.at({t, j}), share, 1e-5) << tokens << " " << depth;
      }
    }
  }
}

TEST(AttentionFlow, RefusesLayersThatDoNotFit) {
  EXPECT_EQ(test::message_of<UsageError>([] { attention_flow({}); }), "attention flow: no layers");
  const std::array apart = {Tensor::zeros({1, 2, 2}), Tensor::zeros({1, 3, 3})};
  EXPECT_EQ(test::message_of<UsageError>([&] { attention_flow(apart); }),
            "attention flow: weights [1,3,3]; it takes [heads, tokens, tokens], as many tokens in "
            "each layer");
}

}  // namespace
}  // namespace heed::explain
