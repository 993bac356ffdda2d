// SPDX-License-Identifier: Apache-2.0
// Which layers and heads are looked at, and what of them the answer reads.
#include "heed/explain/looks.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/base/testing.h"
#include "heed/explain/looks_testing.h"

namespace heed::explain {
namespace {

TEST(Looks, IsAnyLayerAndHeadOnTheWay) {
  Looks looks = two_tokens(1);
  looks.layers[0].weights = Tensor::of({2, 2, 2}, {.5, .5, 0, 1, .25, .75, .5, .5});
  expect_shares("attention(layer=0)", looks, {.25, .75});
  expect_shares("attention(layer=0, head=1)", looks, {.5, .5});
  expect_shares("attention(layer=0, head=max)", looks, {.5, 1});
  expect_shares("attention(layer=1, head=0)", looks, {.5, .5});
  // Without a look at the last layer, "read" with a head is that layer's.
  expect_shares("attention(head=0)", looks, {.5, .5});
  expect_shares("attention(layer=all)", looks, {.375, .625});
  EXPECT_EQ(test::message_of<UsageError>([&] { explained("attention(layer=2)", looks); }),
            "layer=2: no such layer; the model has 2 of self-attention, from 0 on");
  EXPECT_EQ(test::message_of<UsageError>([&] { explained("attention(head=1)", looks); }),
            "head=1: no such head; there are 1, from 0 on");
  EXPECT_THROW(make_explainer("attention(layer=-1)"), UsageError);
  EXPECT_THROW(make_explainer("attention(head=first)"), UsageError);
}

TEST(Looks, LeavesTokensOfNoWordOut) {
  Looks looks = two_tokens(0);
  looks.words = {-1, 0};
  looks.size = 1;
  expect_shares("attention(layer=0)", looks, {.5});
}

}  // namespace
}  // namespace heed::explain
