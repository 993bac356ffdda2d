// SPDX-License-Identifier: Apache-2.0
// Tests of the pattern local_p.
#include <cmath>
#include <limits>
#include "heed/attention/patterns/testing.h"
#include "heed/base/error.h"
#include "heed/base/testing.h"

namespace heed::attention::test {
namespace {

TEST(LocalP, ShowsTheKeysAroundTheCentre) {
  Random random(3);
  for (const std::int64_t reach : {0, 1, 3, 50}) {
    const auto pattern = make_pattern("local_p", {{"", fmt::to_string(reach)}});
    std::vector<double> centres(2 * 3 * 17);
    for (double& centre : centres) centre = 60 * random.uniform() - 15;
    centres[0] = 4;      // both ends are whole numbers
    centres[1] = 1e300;  // beyond all keys
    centres[2] = -1e300;
    const PatternCall call = {
        .batch = 2, .heads = 3, .queries = 17, .keys = 30, .first_query = 8, .centres = centres};
    expect_follows(*pattern, call, [&](auto b, auto h, auto i, auto j) {
      return std::abs(static_cast<double>(j) - centres[(b * 3 + h) * 17 + i - 8]) <= reach;
    });
  }
}

TEST(LocalP, RefusesCentresThatAreMissingOrNoNumbers) {
  const auto message = [](std::vector<double> centres) {
    return heed::test::message_of<UsageError>([&] {
      make_pattern("local_p")->bind({.heads = 2, .queries = 1, .keys = 4, .centres = centres});
    });
  };
  EXPECT_EQ(message({}),
            "local_p: no centres; a bias predicts them, as in \"scaled_dot + gaussian | local_p\"");
  EXPECT_EQ(message({1}), "local_p: centres has 1 values; [batch, heads, queries] is [1, 2, 1]");
  EXPECT_EQ(message({1, std::numeric_limits<double>::quiet_NaN()}),
            "local_p: a centre is nan: it takes a finite number");
}

}  // namespace
}  // namespace heed::attention::test
