// SPDX-License-Identifier: Apache-2.0
// Words taken away with their neighbours.
#include "heed/explain/testing.h"

#include <gtest/gtest.h>

namespace heed::explain {
namespace {

TEST(Occlusion, SpreadsASpanOverItsWords) {
  // Spans of 2 over 3 words: {0,1} and {1,2}.
  const std::vector<double> found = shares("occlusion(width=2)", SumSubject({1, 2, 4}));
  EXPECT_NEAR(found[0], 1.5, 1e-12);
  EXPECT_NEAR(found[1], 2.25, 1e-12);
  EXPECT_NEAR(found[2], 3, 1e-12);
}

TEST(Occlusion, OfOneWordIsLeaveOneOut) {
  const SumSubject subject({.5, -1, 2, .25}, .3);
  EXPECT_EQ(shares("occlusion(width=1)", subject), shares("leave_one_out", subject));
}

TEST(Occlusion, NeedsWordsThatAreLeft) {
  EXPECT_EQ(make_explainer("occlusion(width=2)")->explain(SumSubject({1, 2})).undefined,
            "a span is the whole text: without it there is no text");
  EXPECT_EQ(shares("occlusion(width=9, removal=zero)", SumSubject({1, 2})).size(), 2u);
}

}  // namespace
}  // namespace heed::explain
