// SPDX-License-Identifier: Apache-2.0
// What is lost with a word.
#include "heed/explain/testing.h"

#include <gtest/gtest.h>

namespace heed::explain {
namespace {

TEST(LeaveOneOut, IsWhatIsLostWithAWord) {
  // y = v0 + v1 + c (v0 + v1)² + c v0 v1 with c = .5: 1 + 2 + 4.5 + 1 of both, 2 + 2 without word
  // 0.
  const std::vector<double> found = shares("leave_one_out", SumSubject({1, 2}, .5));
  EXPECT_NEAR(found[0], 8.5 - 4, 1e-12);
  EXPECT_NEAR(found[1], 8.5 - 1.5, 1e-12);
}

TEST(LeaveOneOut, SaysWhyAWordAloneHasNoShare) {
  const SumSubject one({1});
  EXPECT_EQ(make_explainer("leave_one_out")->explain(one).undefined,
            "the text is one word: without it there is no text");
  EXPECT_EQ(shares("leave_one_out(removal=zero)", one), std::vector<double>{1});
}

}  // namespace
}  // namespace heed::explain
