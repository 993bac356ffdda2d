// SPDX-License-Identifier: Apache-2.0
#include "heed/text/pharaoh.h"

#include <gtest/gtest.h>

#include "heed/base/testing.h"

namespace heed::text {
namespace {

TEST(Pharaoh, ReadsSureAndPossibleLinksInAnyOrder) {
  const Alignment alignment = parse_pharaoh(" 2p1  1-2 0?0\r");
  EXPECT_EQ(alignment, (Alignment{{0, 0, false}, {1, 2, true}, {2, 1, false}}));
  EXPECT_EQ(to_pharaoh(alignment), "0p0 1-2 2p1");
  EXPECT_TRUE(parse_pharaoh("  ").empty()) << "a pair without links";
}

TEST(Pharaoh, KeepsTheSureOneOfTwoLinks) {
  EXPECT_EQ(to_pharaoh(parse_pharaoh("1p1 1-1 0-3 1p1 0p3")), "0-3 1-1");
}

TEST(Pharaoh, CountsFromOneWhenAsked) {
  EXPECT_EQ(to_pharaoh(parse_pharaoh("1-1 2p3", {.first = 1})), "0-0 1p2");
}

TEST(Pharaoh, SaysWhereALinkIsWrong) {
  const auto message = [](std::string_view line, int first = 0) {
    return test::message_of<DataError>(
        [&] { parse_pharaoh(line, {.where = "gold:7", .first = first}); });
  };
  EXPECT_EQ(message("0-0 1:1"),
            "gold:7: \"1:1\" is not a link; one is SOURCE-TARGET, or SOURCEpTARGET if possible");
  EXPECT_NE(message("1-").find("\"1-\""), std::string::npos);
  EXPECT_NE(message("-1-2").find("before the first word"), std::string::npos);
  EXPECT_NE(message("1-2x").find("\"1-2x\""), std::string::npos);
  EXPECT_NE(message("99999999999-2").find("is not a link"), std::string::npos);
  EXPECT_EQ(message("0-1", 1), "gold:7: the link \"0-1\" is before the first word, which is 1");
}

}  // namespace
}  // namespace heed::text
