// SPDX-License-Identifier: Apache-2.0
// Pictures of bits in the terminal.
#include "heed/insight/terminal/pattern_view.h"

#include <gtest/gtest.h>

namespace heed::insight {
namespace {

TEST(PatternView, PutsTwoPixelsIntoACharacter) {
  const ViewedPattern one{"one",
                          {1, 1, -1, -1,  //
                           1, -1, 1, -1,  //
                           0, 1, 1, -1}};
  EXPECT_EQ(pattern_view(std::span(&one, 1), 4), "one\n█▀▄\n░▀▀\n");
}

TEST(PatternView, PutsPicturesBesideEachOtherAsFarAsThereIsRoom) {
  const ViewedPattern two[] = {{"a", {1, 1}}, {"long", {1, -1}}};
  EXPECT_EQ(pattern_view(two, 2), "a      long\n▀▀     ▀\n");
  EXPECT_EQ(pattern_view(two, 2, 8), "a\n▀▀\n\nlong\n▀\n");
}

}  // namespace
}  // namespace heed::insight
