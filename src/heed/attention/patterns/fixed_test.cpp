// SPDX-License-Identifier: Apache-2.0
// Tests of the pattern fixed.
#include "heed/attention/patterns/testing.h"
#include "heed/base/error.h"
#include "heed/base/testing.h"

namespace heed::attention::test {
namespace {

// Section 4.2 of Child et al. 2019, counted from 0: A(1) = {j : floor(j/l) = floor(i/l)},
// A(2) = {j : j mod l in {l - c, ..., l - 1}}, both within j <= i.
TEST(Fixed, IsTheUnionOfThePapersTwoHeads) {
  for (const std::int64_t l : {1, 2, 5, 16, 100}) {
    for (const std::int64_t c : {1, 2, 4, 5, 16}) {
      if (c > l) continue;
      const auto pattern =
          make_pattern("fixed", {{"stride", fmt::to_string(l)}, {"c", fmt::to_string(c)}});
      expect_follows_everywhere(*pattern, [=](auto, auto, auto i, auto j) {
        const bool first = j / l == i / l;
        const bool second = j % l >= l - c;
        return j <= i && (first || second);
      });
    }
  }
}

TEST(Fixed, RefusesMoreSummariesThanABlockHas) {
  EXPECT_EQ(heed::test::message_of<UsageError>([] {
              make_pattern("fixed", {{"stride", "4"}, {"c", "5"}})->bind({});
            }),
            "fixed: c is 5: it takes a whole number from 1 to the stride, 4");
}

}  // namespace
}  // namespace heed::attention::test
