// SPDX-License-Identifier: Apache-2.0
// Divergences by hand, and the laws that make them distances of a kind.
#include "heed/metrics/divergence.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "heed/base/error.h"
#include "heed/base/random.h"
#include "heed/base/testing.h"

namespace heed::metrics {
namespace {

using Shares = std::vector<double>;

TEST(Divergence, IsKnownForSmallCases) {
  EXPECT_NEAR(jensen_shannon(Shares{.7, .2, .1}, Shares{.1, .2, .7}), 0.2531016, 1e-7);
  EXPECT_NEAR(jensen_shannon(Shares{.5, .5}, Shares{1, 0}), 0.2157616, 1e-7);
  EXPECT_NEAR(jensen_shannon(Shares{1, 0}, Shares{0, 1}), std::numbers::ln2, 1e-15);
  EXPECT_NEAR(total_variation(Shares{.7, .2, .1}, Shares{.1, .2, .7}), .6, 1e-15);
  EXPECT_NEAR(entropy(Shares{.25, .25, .25, .25}), std::log(4.), 1e-15);
  EXPECT_EQ(entropy(Shares{0, 1, 0}), 0);
}

TEST(Divergence, IsSymmetricBoundedAndZeroForEquals) {
  Random random(5);
  for (int round = 0; round < 100; ++round) {
    Shares p(1 + random.integer(9)), q(p.size());
    for (Shares* one : {&p, &q}) {
      double sum = 0;
      for (double& share : *one)
        sum += share = random.integer(3) == 0 ? 0 : random.uniform<double>();
      if (sum == 0) one->front() = sum = 1;
      for (double& share : *one) share /= sum;
    }
    EXPECT_NEAR(jensen_shannon(p, q), jensen_shannon(q, p), 1e-15);
    EXPECT_GE(jensen_shannon(p, q), -1e-15);
    EXPECT_LE(jensen_shannon(p, q), std::numbers::ln2 + 1e-15);
    EXPECT_NEAR(jensen_shannon(p, p), 0, 1e-15);
    EXPECT_LE(total_variation(p, q), 1 + 1e-15);
  }
}

TEST(Divergence, RefusesWhatIsNoDistribution) {
  EXPECT_EQ(test::message_of<UsageError>([] {
              jensen_shannon(Shares{1}, Shares{.5, .5});
            }),
            "Jensen-Shannon divergence: 1 shares beside 2; both are of the same things");
  EXPECT_EQ(test::message_of<UsageError>([] {
              entropy(Shares{.5, -.5});
            }),
            "entropy: share 2 of 2 is -0.5; shares are 0 or more");
  EXPECT_EQ(test::message_of<UsageError>([] { total_variation(Shares{}, Shares{}); }),
            "total variation: a distribution over nothing");
}

}  // namespace
}  // namespace heed::metrics
