// SPDX-License-Identifier: Apache-2.0
// Tests of the pattern local_m.
#include "heed/attention/patterns/testing.h"

namespace heed::attention::test {
namespace {

TEST(LocalM, ShowsTheKeysAroundTheStep) {
  for (const std::int64_t reach : {0, 1, 4, 50}) {
    const auto pattern = make_pattern("local_m", {{"half-width", fmt::to_string(reach)}});
    expect_follows_everywhere(
        *pattern, [reach](auto, auto, auto t, auto s) { return s >= t - reach && s <= t + reach; });
  }
}

}  // namespace
}  // namespace heed::attention::test
