// SPDX-License-Identifier: Apache-2.0
#include "heed/attention/trace.h"

#include "heed/tensor/testing.h"

namespace heed::attention {
namespace {

using heed::testing::message_of;

TEST(Trace, RefusesAnAttentionWithoutWeights) {
  Trace trace;
  EXPECT_EQ(
      message_of([&] { trace.attended({.site = {.set = "cross", .layer = 2}, .fused = true}); }),
      "trace: \"cross\" of layer 2 has no weights; trace a model whose attention gives them");
}

}  // namespace
}  // namespace heed::attention
