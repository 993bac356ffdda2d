// SPDX-License-Identifier: Apache-2.0
// Some sequences of a batch, and states put together again.
#include "heed/attention/compose/sequences.h"

#include <gtest/gtest.h>

#include "heed/tensor/testing.h"

namespace heed::attention {
namespace {

using heed::testing::wavy;

TEST(Sequences, TakeTheirPartOfEverythingThatIsDefined) {
  const QueryData given{.segments = Ids::of({3, 1}, {7, 8, 9}),
                        .mask = wavy({1, 1, 1, 2}),
                        .bias = wavy({3, 1, 1, 2})};
  const QueryData some = sequences_of(given, {1, 3});
  EXPECT_EQ(some.segments.values(), (std::vector<std::int32_t>{8, 9}));
  EXPECT_EQ(some.mask.values(), given.mask.values()) << "one for the whole batch";
  EXPECT_EQ(some.bias.values(), given.bias.slice(0, 1, 3).values());
  EXPECT_FALSE(some.bounds.defined());
}

TEST(Sequences, OfAStateJoinedAreTheState) {
  AttentionState state;
  state.step = 4;
  state.coverage = wavy({3, 1, 2});
  state.hidden = {Variable(), Variable(wavy({3, 1, 2, 2}, 1))};
  const std::vector<AttentionState> parts{sequences_of(state, {0, 1}), sequences_of(state, {1, 3})};
  const AttentionState joined = joined_states(parts);
  EXPECT_EQ(joined.step, 4);
  EXPECT_FALSE(joined.previous.defined());
  EXPECT_EQ(joined.coverage.value().values(), state.coverage.value().values());
  EXPECT_FALSE(joined.hidden[0].defined());
  EXPECT_EQ(joined.hidden[1].value().values(), state.hidden[1].value().values());
}

}  // namespace
}  // namespace heed::attention
