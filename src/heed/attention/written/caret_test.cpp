// SPDX-License-Identifier: Apache-2.0
// Tests of messages that point.
#include "heed/attention/written/caret.h"

#include <gtest/gtest.h>

#include "heed/base/text.h"

namespace heed::attention {
namespace {

TEST(Caret, StandsUnderThePlace) {
  EXPECT_EQ(with_caret("wrong", "abc", 0), "wrong\n  abc\n  ^");
  EXPECT_EQ(with_caret("wrong", "abc", 2), "wrong\n  abc\n    ^");
  EXPECT_EQ(with_caret("wrong", "abc", 3), "wrong\n  abc\n     ^");
  EXPECT_EQ(with_caret("wrong", "abc", 99), "wrong\n  abc\n     ^");
  EXPECT_EQ(with_caret("wrong", "", 0), "wrong\n  \n  ^");
}

TEST(Caret, CountsColumnsNotBytes) {
  EXPECT_EQ(with_caret("wrong", "üb?", 3), "wrong\n  üb?\n    ^");
  EXPECT_EQ(with_caret("wrong", "注意?", 6), "wrong\n  注意?\n      ^");
}

TEST(Caret, ShowsOneLineOfText) {
  EXPECT_EQ(with_caret("wrong", "a\n\tb", 3), "wrong\n  a  b\n     ^");
  EXPECT_EQ(with_caret("wrong",
                       "a\x01\xff"
                       "b",
                       3),
            "wrong\n  a??b\n     ^");
}

TEST(Caret, ShowsThePartOfALongTextAroundThePlace) {
  std::string text(1001, 'b');
  text.replace(0, 501, 500, 'a').insert(500, 1, '!');
  EXPECT_EQ(with_caret("wrong", text, 500), "wrong\n  … " + std::string(48, 'a') + "!" +
                                                std::string(23, 'b') + " …\n  " +
                                                std::string(50, ' ') + "^");
}

TEST(Caret, CutsNoCharacterInTwo) {
  std::string text;
  for (int i = 0; i < 200; ++i) text += "€";
  for (std::size_t place = 0; place <= text.size(); ++place) {
    const std::string message = with_caret("wrong", text, place);
    EXPECT_EQ(invalid_utf8(message), std::string::npos) << place;
    EXPECT_EQ(message.find('?'), std::string::npos) << place;
  }
}

}  // namespace
}  // namespace heed::attention
