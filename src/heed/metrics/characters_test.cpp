// SPDX-License-Identifier: Apache-2.0
#include "heed/metrics/characters.h"

#include <gtest/gtest.h>

namespace heed::metrics {
namespace {

using Views = std::vector<std::string_view>;

TEST(Characters, AreCodePointsAndStrayBytes) {
  EXPECT_EQ(characters("aé€😀"), (Views{"a", "é", "€", "😀"}));
  EXPECT_EQ(characters("a\xFF"
                       "b"),
            (Views{"a", "\xFF", "b"}));
  EXPECT_TRUE(characters("").empty());
}

TEST(Characters, SeparateWordsByAnyWhiteSpace) {
  EXPECT_EQ(words(" où\u00A0est\u3000\tle\u202F?\n"), (Views{"où", "est", "le", "?"}));
  EXPECT_TRUE(words(" \u2009 ").empty());
  EXPECT_TRUE(is_space("\u2028"));
  EXPECT_FALSE(is_space("\u200B")) << "the zero-width space separates nothing";
}

TEST(Characters, FoldCaseBeyondAscii) {
  EXPECT_EQ(lower_case("ÉTÉ À Straße ΑΒΓ"), "été à straße αβγ");
  EXPECT_EQ(lower_case("A\xFFZ"), "a\xFFz");
}

}  // namespace
}  // namespace heed::metrics
