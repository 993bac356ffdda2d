// SPDX-License-Identifier: Apache-2.0
// Weights with a part that changes nothing.
#include <gtest/gtest.h>

#include "heed/explain/looks_testing.h"

namespace heed::explain {
namespace {

// Three tokens whose values are (1, 0), (0, 1) and (1, 1): the weights (a, b, c) read (a + c, b +
// c), so that (1, 1, -1) may be added to them, and the part without it is what is effective.
TEST(EffectiveAttention, ReadsTheSameWithoutWhatChangesNothing) {
  Looks looks{.words = {0, 1, 2}, .size = 3};
  looks.reads = {{.weights = Tensor::of({1, 1, 3}, {.5, .2, .3}),
                  .values = Tensor::of({1, 3, 2}, {1, 0, 0, 1, 1, 1})}};
  const double off = (.5 + .2 - .3) / 3;
  expect_shares("effective_attention", looks, {.5 - off, .2 - off, .3 + off});
  EXPECT_EQ(explained("effective_attention", looks).note,
            "14% of the weights (of their squares) could be others with the same output");
  // Another point of the same line is the same to it.
  looks.reads[0].weights = Tensor::of({1, 1, 3}, {.6, .3, .2});
  expect_shares("effective_attention", looks, {.5 - off, .2 - off, .3 + off});
  // Where values are independent all of it is.
  looks.reads[0].values = Tensor::of({1, 3, 3}, {1, 0, 0, 0, 2, 0, 1, 1, 1});
  expect_shares("effective_attention", looks, {.6, .3, .2});
}

}  // namespace
}  // namespace heed::explain
