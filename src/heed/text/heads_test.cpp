// SPDX-License-Identifier: Apache-2.0
#include "heed/text/heads.h"

#include <gtest/gtest.h>

#include "heed/base/testing.h"

namespace heed::text {
namespace {

TEST(Heads, ReadsWordsFromOneAndTheRootAsZero) {
  const Heads heads = parse_heads(" 2  0 2 3\r");
  EXPECT_EQ(heads, (Heads{1, 1, 1, 2}));
  EXPECT_EQ(write_heads(heads), "2 0 2 3");
  EXPECT_TRUE(parse_heads(" ").empty()) << "a text without words";
  EXPECT_EQ(parse_heads("0 0"), (Heads{0, 1})) << "several roots";
}

TEST(Heads, SaysWhichWordIsWrong) {
  const auto message = [](std::string_view line) {
    return test::message_of<DataError>([&] { parse_heads(line, "gold:7"); });
  };
  EXPECT_EQ(message("0 3"),
            "gold:7: word 2 hangs on word 3; there are 2 words, counted from 1, and 0 is the root");
  EXPECT_NE(message("1").find("word 1 hangs on itself; there are 1 word,"), std::string::npos);
  EXPECT_NE(message("0 -1").find("word -1"), std::string::npos);
  EXPECT_NE(message("0 x").find("gold:7: "), std::string::npos);
  EXPECT_NE(message("99999999999999999999").find("gold:7: "), std::string::npos);
}

TEST(Heads, RefuseWordsThatHangOnEachOther) {
  const auto message = [](std::string_view line) {
    return test::message_of<DataError>([&] { parse_heads(line); });
  };
  EXPECT_NE(message("2 1").find("by way of others"), std::string::npos);
  EXPECT_NE(message("0 1 4 5 3").find("by way of others"), std::string::npos);
  EXPECT_NE(message("2 3 2 0").find("by way of others"), std::string::npos)
      << "reached from word 1";
  EXPECT_EQ(parse_heads("2 3 0 1").size(), 4U) << "long ways to the root are none";
}

}  // namespace
}  // namespace heed::text
