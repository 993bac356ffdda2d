// SPDX-License-Identifier: Apache-2.0
// Products of weights and gradients, layer by layer.
#include <gtest/gtest.h>

#include "heed/explain/looks_testing.h"

namespace heed::explain {
namespace {

// R_1 = I + C_1 with C_1 = [[0, .1], [.4, 0]] (a weight whose gradient is below zero adds nothing),
// read with c = (.5, 0).
TEST(Relevance, FollowsWhatRaisesTheOutput) {
  Looks looks{.words = {0, 1}, .size = 2};
  looks.layers = {{.weights = Tensor::of({1, 2, 2}, {.5, .5, .8, .2}),
                   .gradients = Tensor::of({1, 2, 2}, {-1, .2, .5, -.1})}};
  looks.reads = {
      {.weights = Tensor::of({1, 1, 2}, {.5, .5}), .gradients = Tensor::of({1, 1, 2}, {1, -3})}};
  expect_shares("relevance", looks, {.5, .05});
  looks.reads.clear();
  looks.readout = {0, 1};
  expect_shares("relevance", looks, {.4, 0});
}

}  // namespace
}  // namespace heed::explain
