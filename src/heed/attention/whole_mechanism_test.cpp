// SPDX-License-Identifier: Apache-2.0
// Memories and calls that a whole mechanism refuses; what it computes, its own tests and laws say.
#include "heed/attention/whole_mechanism.h"

#include <gtest/gtest.h>

#include "heed/tensor/testing.h"

namespace heed::attention {
namespace {

using heed::testing::message_of;
using heed::testing::wavy;

struct TwoLooks {
  Random random{1};
  MechanismShape shape{.query_width = 4, .key_width = 4, .value_width = 3};
  WholeMechanism look{parse_spec("linear"), shape, random};
  WholeMechanism other{parse_spec("linear"), shape, random};
  Tensor query = wavy({2, 1, 3, 4}), keys = wavy({2, 1, 5, 4}, 1), values = wavy({2, 1, 5, 3}, 2);
};

TEST(WholeMechanism, TakesMemoriesOfItsOwnAlone) {
  const TwoLooks two;
  EXPECT_EQ(message_of([&] { two.look.attend(two.query, two.other.memory(two.keys, two.values)); }),
            "attend: a memory that another mechanism has made; \"linear\" takes one of its own");
}

TEST(WholeMechanism, RefusesLengthsThatItsPatternDoesNotRead) {
  const TwoLooks two;
  const Memory memory = two.look.memory(two.keys, two.values, {.lengths = Ids::of({2}, {3, 5})});
  EXPECT_EQ(
      message_of([&] { two.look.attend(two.query, memory); }),
      "attend: lengths given, but linear reads them only where \"padding\" is in its pattern");
}

TEST(WholeMechanism, NamesAQueryOfAnotherShape) {
  const TwoLooks two;
  EXPECT_EQ(message_of([&] {
              two.look.attend(wavy({2, 1, 3, 5}), two.look.memory(two.keys, two.values));
            }),
            "attend: query [2,1,3,5]; it takes [2,1,Q,4]");
}

}  // namespace
}  // namespace heed::attention
