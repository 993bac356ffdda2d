// SPDX-License-Identifier: Apache-2.0
#include "heed/text/encoding.h"

#include <gtest/gtest.h>

#include <string>

namespace heed::text {
namespace {

using namespace std::string_view_literals;

TEST(Encoding, OfWideTextIsToldByItsMarkOrItsZeros) {
  EXPECT_EQ(wide_encoding("\xFF\xFE"
                          "a\0"sv),
            "UTF-16");
  EXPECT_EQ(wide_encoding("a\0b\0c\0"sv), "UTF-16LE");
  EXPECT_EQ(wide_encoding("\0a\0b\0c"sv), "UTF-16BE");
  EXPECT_EQ(wide_encoding("\0\0\xFE\xFF"sv), "UTF-32");
  EXPECT_EQ(wide_encoding("plain text"), "");
  EXPECT_EQ(wide_encoding(""), "");
  EXPECT_EQ(wide_encoding("\xEF\xBB\xBF"
                          "a"),
            "");
}

TEST(Encoding, OfOneByteIsLatin1OrThatOfWindows) {
  EXPECT_EQ(narrow_encoding("sch\xF6n"), "latin1");
  EXPECT_EQ(narrow_encoding("\x93"
                            "sch\xF6n\x94"),
            "windows-1252");
  EXPECT_EQ(narrow_encoding("sch\u00F6n, sch\xF6n"), "");
}

TEST(Encoding, IsSaidWithTheCommandThatConvertsIt) {
  EXPECT_EQ(not_utf8("sch\xF6n", 3, "a.txt", 7),
            "a.txt:7: byte 4 of the line (0xF6) is not UTF-8; it seems to be latin1: convert the "
            "file with `iconv -f latin1 -t UTF-8 a.txt > NEW`");
}

}  // namespace
}  // namespace heed::text
