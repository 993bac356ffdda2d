// SPDX-License-Identifier: Apache-2.0
// Layers multiplied, on matrices whose product is known.
#include <gtest/gtest.h>

#include "heed/explain/looks_testing.h"

namespace heed::explain {
namespace {

TEST(Rollout, IsTheProductOfLayersHalfPassedBy) {
  expect_shares("rollout", two_tokens(0), {.75, .25});
  expect_shares("rollout", two_tokens(1), {.1875, .8125});
  EXPECT_EQ(explained("rollout", two_tokens(0)).note, "");
}

TEST(Rollout, IsMixedAsTheAnswerReads) {
  Looks looks = two_tokens(0);
  looks.readout.clear();
  // Two heads of one look, .2 and .6 at the first token.
  looks.reads = {{.weights = Tensor::of({2, 1, 2}, {.2, .8, .6, .4})}};
  expect_shares("attention", looks, {.4, .6});
  expect_shares("rollout", looks, {.4 * .75 + .6 * .1875, .4 * .25 + .6 * .8125});
  looks.layers.clear();
  expect_shares("rollout", looks, {.4, .6});
}

TEST(Rollout, OfACausalModelIsNotedAndComparedWithEvenAttention) {
  Looks looks{.words = {0, 1, 2}, .size = 3};
  looks.layers = {{.weights = Tensor::of(
                       {1, 3, 3}, {1, 0, 0, .5, .5, 0, Real(1 / 3.), Real(1 / 3.), Real(1 / 3.)})}};
  looks.readout = {0, 0, 1};
  looks.causal = true;
  expect_shares("rollout(against=uniform)", looks, {1, 1, 1});
  EXPECT_TRUE(explained("rollout", looks).note.starts_with("tokens see none after them"));
  EXPECT_FALSE(explained("flow", looks).note.empty());
}

}  // namespace
}  // namespace heed::explain
