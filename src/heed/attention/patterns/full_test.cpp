// SPDX-License-Identifier: Apache-2.0
// Tests of the pattern full.
#include "heed/attention/patterns/testing.h"

namespace heed::attention::test {
namespace {

TEST(Full, ShowsEveryKeyToEveryQuery) {
  expect_follows_everywhere(*make_pattern("full"), [](auto...) { return true; });
}

}  // namespace
}  // namespace heed::attention::test
