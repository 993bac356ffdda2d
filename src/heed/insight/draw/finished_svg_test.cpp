// SPDX-License-Identifier: Apache-2.0
#include "heed/insight/draw/finished_svg.h"

#include <gtest/gtest.h>

namespace heed::insight {
namespace {

TEST(FinishedSvg, NumbersNamesOfAKindByTheirOrder) {
  const auto written = [](int first, int second) {
    const std::string a = std::to_string(first), b = std::to_string(second);
    return "<svg width=\"1\">\n<symbol id=\"glyph0-3\"/><g id=\"surface" + a +
           "\"><use href=\"#image" + b + "\"/><use href=\"#image" + a +
           "\"/><a clip-path=\"url(#clip" + b + ")\"/><use href=\"#image" + b + "\"/></g></svg>\n";
  };
  const std::string finished = finished_svg(written(7, 31), "a cat");
  EXPECT_EQ(finished, finished_svg(written(8, 90), "a cat"));
  EXPECT_EQ(finished,
            "<svg role=\"img\" width=\"1\">\n<title>a cat</title>\n<symbol id=\"glyph0-1\"/>"
            "<g id=\"surface1\"><use href=\"#image1\"/><use href=\"#image2\"/>"
            "<a clip-path=\"url(#clip1)\"/><use href=\"#image1\"/></g></svg>\n");
}

TEST(FinishedSvg, WritesOutlinesShortly) {
  EXPECT_EQ(
      finished_svg("<path d=\"M 1.234567 -0.5 L 12 3.999999 Z M 1.234567 -0.5 \" a=\"1.2345\"/>"
                   "<use x=\"7.10\" y=\"8.00\"/>",
                   ""),
      "<path d=\"M1.23-0.5L12 3.99Z\" a=\"1.2345\"/><use x=\"7.1\" y=\"8\"/>");
}

TEST(FinishedSvg, WritesColoursInHex) {
  EXPECT_EQ(finished_svg("<a style=\"fill:rgb(100%,50.196078%,0%);\"/>", ""),
            "<a style=\"fill:#ff8000;\"/>");
}

TEST(FinishedSvg, LeavesOutWhatGoesWithoutSaying) {
  EXPECT_EQ(finished_svg("<path style=\" stroke:none;fill-rule:nonzero;fill:red;fill-opacity:1;\"/>"
                         "<path style=\"stroke-opacity:0.5;\"/>",
                         ""),
            "<path style=\"fill:red;\"/><path style=\"stroke-opacity:0.5;\"/>");
}

TEST(FinishedSvg, KeepsMarkupInTitlesFromBeingRead) {
  const std::string finished = finished_svg("<svg a=\"1\">\n</svg>", "<script>&");
  EXPECT_NE(finished.find("<title>&lt;script>&amp;</title>"), std::string::npos) << finished;
}

TEST(FinishedSvg, KeepsTheCellsOfImagesSharp) {
  EXPECT_NE(finished_svg("<image id=\"image5\"/>", "")
                .find("<image style=\"image-rendering:pixelated\" id=\"image1\""),
            std::string::npos);
}

}  // namespace
}  // namespace heed::insight
