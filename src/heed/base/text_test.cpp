// SPDX-License-Identifier: Apache-2.0
// Tests of the text helpers.
#include "heed/base/text.h"

#include <gtest/gtest.h>

#include <cmath>

#include "heed/base/error.h"
#include "heed/base/testing.h"

namespace heed {
namespace {

using test::message_of;

TEST(Text, SplitsAtEverySeparator) {
  using Parts = std::vector<std::string_view>;
  EXPECT_EQ(split("a,b,,c", ','), (Parts{"a", "b", "", "c"}));
  EXPECT_EQ(split("", ','), (Parts{""}));
  EXPECT_EQ(split(",", ','), (Parts{"", ""}));
}

TEST(Text, TrimsWhiteSpaceAtBothEndsOnly) {
  EXPECT_EQ(trim(" \t a b\r\n"), "a b");
  EXPECT_EQ(trim(" \n "), "");
  EXPECT_EQ(trim(""), "");
}

TEST(Text, JoinsWithSeparatorsBetween) {
  EXPECT_EQ(join(std::vector<std::string>{"a", "", "c"}, ", "), "a, , c");
  EXPECT_EQ(join({}, ", "), "");
}

TEST(Text, LowersAsciiLettersOnly) {
  EXPECT_EQ(lower("ÄBC-z"), "Äbc-z");
}

TEST(Text, CountsEditsAndSwapsOfNeighbours) {
  EXPECT_EQ(edit_distance("", ""), 0u);
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
  EXPECT_EQ(edit_distance("steps", "stpes"), 1u);
  EXPECT_EQ(edit_distance("abcd", "badc"), 2u);
  EXPECT_EQ(edit_distance("flaw", "lawn"), edit_distance("lawn", "flaw"));
}

TEST(Text, FindsTheNearestNameOrNone) {
  const std::vector<std::string> names = {"tensors", "train", "translate"};
  EXPECT_EQ(nearest("tensor", names), "tensors");
  EXPECT_EQ(nearest("TRAIN", names), "train");
  EXPECT_EQ(nearest("tarin", names), "train");
  EXPECT_EQ(nearest("serve", names), "");
  EXPECT_EQ(nearest("", names), "");
  EXPECT_EQ(nearest("x", std::vector<std::string>{"y"}), "") << "every letter differs";
  EXPECT_EQ(nearest(std::string(1'000'000, 'a'), names), "");
  EXPECT_EQ(did_you_mean("tensor", names), " (did you mean \"tensors\"?)");
  EXPECT_EQ(did_you_mean("serve", names), "");
}

TEST(Text, ParsesWholeNumbersStrictly) {
  EXPECT_EQ(parse_integer("-9223372036854775808", "n"), INT64_MIN);
  EXPECT_EQ(parse_integer("007", "n"), 7);
  for (const char* bad :
       {"", " 1", "1 ", "+1", "1.0", "1e3", "0x1", "9223372036854775808", "--1"}) {
    EXPECT_THROW(parse_integer(bad, "n"), UsageError) << bad;
  }
  EXPECT_EQ(message_of<UsageError>([] { parse_integer("1e3", "--steps"); }),
            "--steps is \"1e3\": it takes a whole number");
}

TEST(Text, ParsesFiniteNumbersStrictly) {
  EXPECT_EQ(parse_number("-1.5e-3", "x"), -1.5e-3);
  EXPECT_EQ(parse_number("7", "x"), 7.0);
  for (const char* bad : {"", "nan", "inf", "-inf", "1e999", "1,5", "1.5 ", "0x1p3", "."}) {
    EXPECT_THROW(parse_number(bad, "x"), UsageError) << bad;
  }
}

TEST(Text, ShowsBytesInTheUnitThatFits) {
  EXPECT_EQ(human_bytes(0), "0 B");
  EXPECT_EQ(human_bytes(1023), "1023 B");
  EXPECT_EQ(human_bytes(1024), "1.0 KiB");
  EXPECT_EQ(human_bytes(1536), "1.5 KiB");
  EXPECT_EQ(human_bytes(1024 * 1024 - 1), "1.0 MiB");
  EXPECT_EQ(human_bytes(UINT64_MAX), "16.0 EiB");
}

TEST(Text, ShowsTimesInTheUnitThatFits) {
  EXPECT_EQ(human_duration(0), "0 ms");
  EXPECT_EQ(human_duration(0.0008), "0.8 ms");
  EXPECT_EQ(human_duration(0.9996), "1.0 s");
  EXPECT_EQ(human_duration(12.34), "12.3 s");
  EXPECT_EQ(human_duration(59.96), "1 min 00 s");
  EXPECT_EQ(human_duration(245), "4 min 05 s");
  EXPECT_EQ(human_duration(3599.7), "1 h 00 min");
  EXPECT_EQ(human_duration(7380), "2 h 03 min");
  EXPECT_EQ(human_duration(3 * 86400 + 4 * 3600), "3 d 04 h");
  EXPECT_EQ(human_duration(-2), "-2.0 s");
  EXPECT_EQ(human_duration(NAN), "unknown");
}

TEST(Text, FindsTheFirstByteThatIsNotUtf8) {
  EXPECT_EQ(invalid_utf8("plain ä ☃ 😀"), std::string::npos);
  EXPECT_EQ(invalid_utf8("ab\xff"), 2u);
  EXPECT_EQ(invalid_utf8("\xc3"), 0u) << "cut short";
  EXPECT_EQ(invalid_utf8("\xc0\xaf"), 0u) << "overlong";
  EXPECT_EQ(invalid_utf8("\xe0\x80\xaf"), 0u) << "overlong";
  EXPECT_EQ(invalid_utf8("a\xed\xa0\x80"), 1u) << "surrogate";
  EXPECT_EQ(invalid_utf8("\xf4\x90\x80\x80"), 0u) << "beyond U+10FFFF";
  EXPECT_EQ(invalid_utf8("\x80"), 0u) << "continuation without a start";
}

TEST(Text, CountsTerminalColumns) {
  EXPECT_EQ(display_width("abc"), 3u);
  EXPECT_EQ(display_width("äöü"), 3u);
  EXPECT_EQ(display_width("e\u0301"), 1u) << "a combining accent";
  EXPECT_EQ(display_width("注意"), 4u);
  EXPECT_EQ(display_width("😀"), 2u);
  EXPECT_EQ(display_width("\xff\xfe"), 2u);
}

TEST(Text, PadsByColumnsNotBytes) {
  EXPECT_EQ(pad_right("ä", 3), "ä  ");
  EXPECT_EQ(pad_left("注", 4), "  注");
  EXPECT_EQ(pad_right("long", 2), "long");
}

TEST(Text, ShortensByColumnsNotBytes) {
  EXPECT_EQ(shorten("abcdef", 6), "abcdef");
  EXPECT_EQ(shorten("abcdef", 4), "abc…");
  EXPECT_EQ(shorten("注意力", 4), "注…");
  EXPECT_EQ(shorten("abc", 1), "…");
  EXPECT_EQ(shorten("abc", 0), "");
}

}  // namespace
}  // namespace heed
