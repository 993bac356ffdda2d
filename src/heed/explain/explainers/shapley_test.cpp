// SPDX-License-Identifier: Apache-2.0
// Shapley values by hand, and drawn orders beside all subsets.
#include "heed/explain/testing.h"

#include <gtest/gtest.h>

namespace heed::explain {
namespace {

TEST(Shapley, SharesWhatTwoWordsAddTogether) {
  // y = v0 + v1 + c (v0 + v1)² + c v0 v1: what both add together is halved.
  const SumSubject subject({1, 2}, .5, 0);
  const std::vector<double> found = shares("shapley", subject);
  EXPECT_NEAR(found[0], 1 + .5 * 1 + .5 * (2 * .5 * 1 * 2 + .5 * 1 * 2), 1e-12);
  EXPECT_NEAR(found[1], 2 + .5 * 4 + .5 * (2 * .5 * 1 * 2 + .5 * 1 * 2), 1e-12);
}

TEST(Shapley, DrawnOrdersComeNearAllSubsets) {
  const SumSubject subject({.3, -.8, 1.2, .1, -.4, .9, .2, -.1}, .7);
  const std::vector<double> exact = shares("shapley", subject);
  const Explanation drawn = make_explainer("shapley(exact=0, samples=2000)")->explain(subject);
  ASSERT_EQ(drawn.errors.size(), exact.size());
  for (std::size_t t = 0; t < exact.size(); ++t) {
    EXPECT_NEAR(drawn.shares[t], exact[t], 5 * drawn.errors[t] + 1e-9);
    EXPECT_LT(drawn.errors[t], .05);
  }
}

}  // namespace
}  // namespace heed::explain
