// SPDX-License-Identifier: Apache-2.0
// A bound pattern outlives the data it was bound to.
#include "heed/attention/compose/bind.h"

#include <gtest/gtest.h>

#include "heed/attention/given_testing.h"
#include "heed/attention/make_parts.h"
#include "heed/attention/mechanism.h"
#include "heed/attention/written/spec.h"
#include "heed/base/error.h"

namespace heed::attention {
namespace {

std::shared_ptr<const BoundPattern> bound(const std::string& text, const GivenData& data) {
  const Spec spec = parse_spec("dot | " + text);
  return bind(*make_pattern(spec.groups[0].mechanism.pattern, spec.text), data.of_keys(),
              data.of_queries(), {.batch = 2, .queries = 3, .keys = 4}, {});
}

TEST(Bind, KeepsTheDataThePatternLooksAt) {
  const auto pattern = bound("padding", {.lengths = Ids::of({2}, {4, 1})});
  EXPECT_EQ(pattern->classify(0, 0, {0, 3}, {0, 4}), TileCover::full);
  EXPECT_EQ(pattern->classify(1, 0, {0, 3}, {1, 4}), TileCover::empty);
}

TEST(Bind, TakesAMaskOfNumbersAsYesAndNo) {
  Tensor mask = Tensor::zeros({1, 1, 3, 4});
  mask.mutable_data()[1] = Real(0.5);
  const auto pattern = bound("tensor", {.mask = mask});
  std::vector<KeyRun> runs;
  pattern->runs(1, 0, 0, runs);
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_EQ(runs[0].begin, 1);
  EXPECT_EQ(runs[0].end, 2);
}

TEST(Bind, RefusesAMaskOfAnotherRank) {
  EXPECT_THROW(bound("tensor", {.mask = Tensor::zeros({3, 4})}), UsageError);
}

}  // namespace
}  // namespace heed::attention
