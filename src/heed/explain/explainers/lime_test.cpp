// SPDX-License-Identifier: Apache-2.0
// A linear model of what is linear.
#include "heed/explain/testing.h"

#include <gtest/gtest.h>

namespace heed::explain {
namespace {

TEST(Lime, FindsASum) {
  const SumSubject subject({.3, -.8, 1.2, .1});
  const std::vector<double> found = shares("lime", subject);
  for (const auto& [t, value] : {std::pair(0, .3), {1, -.8}, {2, 1.2}, {3, .1}}) {
    EXPECT_NEAR(found[static_cast<std::size_t>(t)], value, 1e-3);
  }
}

TEST(Lime, HasNoCopiesOfAWordAlone) {
  EXPECT_EQ(make_explainer("lime")->explain(SumSubject({1})).undefined,
            "the text is one word: there is no other copy of it");
}

}  // namespace
}  // namespace heed::explain
