// SPDX-License-Identifier: Apache-2.0
// Lengths of what is read.
#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/explain/looks_testing.h"

namespace heed::explain {
namespace {

// Weights .5 of vectors (3, 0) and (0, 4), and -.25 of one head: |.5 (3,0) + .25 (1,0)|.
TEST(Norms, AreLengthsOfWhatIsRead) {
  Looks looks{.words = {0, 1}, .size = 2};
  looks.reads = {{.weights = Tensor::of({2, 1, 2}, {.5, .5, .25, .75}),
                  .values = Tensor::of({2, 2, 2}, {3, 0, 0, 4, 1, 0, 0, -2})}};
  expect_shares("norms", looks, {1.75, .5});
  expect_shares("norms(head=1)", looks, {.25, 1.5});
  looks.reads[0].values = {};
  EXPECT_THROW(explained("norms", looks), UsageError);
}

}  // namespace
}  // namespace heed::explain
