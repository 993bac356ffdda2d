// SPDX-License-Identifier: Apache-2.0
#include "heed/attention/addressing/testing.h"

namespace heed::attention {
namespace {

using heed::testing::expect_near;

TEST(Shift, MovesTheFocusToTheNextKeyAndRoundTheEnd) {
  const auto next = made_addressing("shift(shares=[0, 0, 1])");
  expect_near(addressed(*next, {0.9, 0.1, 0, 0}), Tensor::of({4}, {0, 0.9, 0.1, 0}), 1e-6);
  expect_near(addressed(*next, {0, 0, 0.1, 0.9}), Tensor::of({4}, {0.9, 0, 0, 0.1}), 1e-6);
  const auto back = made_addressing("shift(shares=[1, 0, 0])");
  expect_near(addressed(*back, {0.9, 0.1, 0, 0}), Tensor::of({4}, {0.1, 0, 0, 0.9}), 1e-6);
}

TEST(Shift, SpreadsWeightsByTheShares) {
  expect_near(addressed(*made_addressing("shift(shares=[0.1, 0.6, 0.3])"), {0, 1, 0, 0, 0}),
              Tensor::of({5}, {0.1, 0.6, 0.3, 0, 0}), 1e-6);
  expect_near(addressed(*made_addressing("shift(shares=[0, 0, 0, 0, 1])"), {0, 1, 0, 0, 0}),
              Tensor::of({5}, {0, 0, 0, 1, 0}), 1e-6);
}

TEST(Shift, GoesFromOneAllowedKeyToTheNext) {
  const std::shared_ptr<const BoundPattern> even =
      pattern_of("dilated(step=2)")->bind({.queries = 1, .keys = 6, .first_query = 4});
  std::vector<KeyRun> runs;
  even->runs(0, 0, 0, runs);
  ASSERT_FALSE(runs.empty());
  ASSERT_EQ(runs[0].step, 2);
  std::vector<Real> focused(6, 0);
  focused[static_cast<std::size_t>(runs[0].begin)] = 1;
  std::vector<Real> moved(6, 0);
  moved[static_cast<std::size_t>(runs[0].begin) + 2] = 1;
  expect_near(addressed(*made_addressing("shift(shares=[0, 0, 1])"), focused, {}, even),
              Tensor::of({6}, moved), 1e-6);
}

TEST(Shift, StaysWhereThereIsOneKey) {
  expect_near(addressed(*made_addressing("shift(range=2)"), {1}), Tensor::of({1}, {1}), 1e-6);
}

TEST(Shift, AsksTheQueryForShares) {
  const auto part = made_addressing("shift");
  set_parameter(*part, "shares.W", Tensor::zeros({3, 3}));
  set_parameter(*part, "shares.b", Tensor::of({3}, {0, 0, 30}));
  expect_near(addressed(*part, {0, 1, 0}), Tensor::of({3}, {0, 0, 1}), 1e-6);
}

TEST(Shift, RefusesSharesThatAreNoDistribution) {
  for (const char* wrong : {"shift(shares=[0.5, 0.5])", "shift(shares=[0.5, 0.4, 0.2])",
                            "shift(shares=[-0.5, 1, 0.5])", "shift(shares=[a, 1, 0])"}) {
    EXPECT_THROW(made_addressing(wrong), UsageError) << wrong;
  }
}

}  // namespace
}  // namespace heed::attention
