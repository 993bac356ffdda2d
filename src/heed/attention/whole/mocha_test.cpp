// SPDX-License-Identifier: Apache-2.0
// MoChA: worked numbers, and what it refuses.
#include <gtest/gtest.h>

#include "heed/attention/attention.h"
#include "heed/attention/whole/monotonic_alignment.h"
#include "heed/attention/whole/monotonic_testing.h"
#include "heed/tensor/testing.h"

namespace heed::attention {
namespace {

using heed::testing::expect_near;
using heed::testing::message_of;
using heed::testing::wavy;
using monotonic_testing::kExact;
using monotonic_testing::kSeesAll;
using monotonic_testing::rows_of_three;
using monotonic_testing::worked_energies;

TEST(Mocha, HasTheWorkedWeights) {
  const Variable alpha = weighed_of(monotonic_alignment(worked_energies(), {}, kSeesAll)).weights;
  const Tensor u = rows_of_three({.2, -.5, 1, .3, .7, 0, .4, -.2, .9, .1, .6, -.3, .2, .5, -.8});
  expect_near(
      chunkwise(alpha, u, 2, kSeesAll).value(),
      rows_of_three({.460821396971, .1988805596, .121974707146, .0571756201434, .0603477161393,
                     .044881365073, .338123604889, .19018899867, .127024550409, .0233374809586,
                     .0253565092567, .0452509926435, .195391011842, .265145891435, .0240395948234}),
      kExact);
  expect_near(chunkwise(alpha, u, 1, kSeesAll).value(), alpha.value(), 0);
}

TEST(Mocha, SaysThatItTakesNoDropout) {
  Random random(1);
  const auto look =
      make_attention("mocha", {.query_width = 2, .key_width = 2, .value_width = 2}, random);
  const Memory memory = look->memory(wavy({1, 1, 3, 2}), wavy({1, 1, 3, 2}));
  EXPECT_EQ(message_of([&] {
              look->attend(wavy({1, 1, 1, 2}), memory, {}, {.dropout = Real(.5)});
            }),
            "attend: dropout 0.5, but mocha needs its weights whole; it takes 0");
}

}  // namespace
}  // namespace heed::attention
