// SPDX-License-Identifier: Apache-2.0
// Lines of looks, and lines that are none.
#include "heed/metrics/region_lines.h"

#include <gtest/gtest.h>

#include <cmath>

#include "heed/base/error.h"
#include "heed/base/testing.h"

namespace heed::metrics {
namespace {

TEST(RegionLine, HasAMaskAndAGrid) {
  const std::string line =
      R"({"size":[4,2],"boxes":[[2,0,9,1]],"weights":[[0.5,null],[0.25,0.0]]})";
  const RegionLine look = parse_region_line(line, "w");
  EXPECT_EQ(look.mask.inside, (std::vector<std::uint8_t>{0, 0, 1, 1, 0, 0, 0, 0}));
  EXPECT_EQ(look.rows, 2);
  EXPECT_EQ(look.columns, 2);
  EXPECT_EQ(look.weights[2], .25f);
  EXPECT_TRUE(std::isnan(look.weights[1]));
  EXPECT_EQ(written_region_line(look, {{2, 0, 9, 1}}), line);
}

TEST(RegionLine, SaysWhatIsWrongWithIt) {
  const auto refused = [](std::string_view line) {
    return test::message_of<DataError>([&] { parse_region_line(line, "f:3"); });
  };
  EXPECT_TRUE(refused("x").starts_with("f:3: \"x\"; a line is {\"size\": "));
  EXPECT_EQ(refused(R"({"size":[4],"boxes":[[0,0,1,1]],"weights":[[1]]})"),
            "f:3: size are [4]; it takes 2 whole numbers");
  EXPECT_EQ(refused(R"({"size":[0,4],"boxes":[[0,0,1,1]],"weights":[[1]]})"),
            "f:3: an image of 0 x 4; it takes sides of 1 to 16384 and 16777216 pixels at most");
  EXPECT_EQ(refused(R"({"size":[4,4],"boxes":[],"weights":[[1]]})"),
            "f:3: \"boxes\" takes a list of 1 to 100 of them");
  EXPECT_EQ(refused(R"({"size":[4,4],"boxes":[[4,0,9,9]],"weights":[[1]]})"),
            "f:3: a box from 4, 0 to 9, 9 has no pixel in an image of 4 x 4");
  EXPECT_EQ(refused(R"({"size":[4,4],"boxes":[[0,0,1,1]],"weights":[[1],[1,2]]})"),
            "f:3: \"weights\" takes a grid: rows of equally many numbers");
  EXPECT_EQ(refused(R"({"size":[4,4],"boxes":[[0,0,1,1]],"weights":[[-1]]})"),
            "f:3: a weight of -1 in row 1; it takes numbers from 0 on, null where hidden");
}

}  // namespace
}  // namespace heed::metrics
