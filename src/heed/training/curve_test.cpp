// SPDX-License-Identifier: Apache-2.0
#include "heed/training/curve.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "heed/base/testing.h"

namespace heed::training {
namespace {

int count(const std::string& text, const std::string& part) {
  int found = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++found;
  return found;
}

Curve small_curve() {
  Curve curve;
  curve.add_training({100, 4});
  curve.add_training({200, 2});
  curve.add_training({300, 1.0 / 3});
  curve.add_validation("loss", {200, 3});
  curve.add_validation("bleu", {200, 17.5});
  return curve;
}

TEST(Curve, ComesBackFromItsText) {
  EXPECT_EQ(small_curve().text(),
            "bleu\t200:17.5\nloss\t200:3\n"
            "training loss\t100:4 200:2 300:0.3333333333333333\n");
  EXPECT_EQ(Curve::from_text(small_curve().text()).text(), small_curve().text());
  EXPECT_EQ(Curve::from_text("").text(), "");
}

TEST(Curve, RefusesTextThatIsNone) {
  for (const char* text : {"loss", "loss\t1", "loss\t1:x", "loss\tx:1", "loss\t1:1  2:2"}) {
    EXPECT_NE(
        heed::test::message_of<DataError>([&] { Curve::from_text(text); }).find("cannot be read"),
        std::string::npos)
        << text;
  }
}

TEST(Curve, DrawsLossesTogetherAndEachOtherMetricByItself) {
  const std::string svg = small_curve().svg("a < b");
  EXPECT_EQ(count(svg, "<polyline"), 3);
  EXPECT_EQ(count(svg, ">updates</text>"), 2);  // panels
  EXPECT_EQ(count(svg, "a &lt; b"), 2);
  // 100 to 300 updates span 72 to 712 pixels, the losses 4 to 1/3 the 200 below 56.
  EXPECT_EQ(count(svg, "points=\"72.0,56.0 392.0,165.1 712.0,256.0\""), 1) << svg;
}

TEST(Curve, DrawsEvenOnePointOrNone) {
  Curve curve;
  EXPECT_EQ(count(curve.svg("empty"), "<polyline"), 0);
  curve.add_training({7, 0});
  EXPECT_EQ(count(curve.svg("one"), "<circle cx=\"392.0\" cy=\"156.0\""), 1) << curve.svg("one");
}

TEST(Curve, DrawsValuesThatDifferInTheirLastBit) {
  Curve curve;
  curve.add_training({1, 1.0});
  curve.add_training({2, std::nextafter(1.0, 2.0)});
  curve.add_training({std::numeric_limits<std::int64_t>::max(), 1.0});
  EXPECT_LT(curve.svg("run").size(), 10000u);
}

TEST(Curve, LeavesOutWhatIsNotFinite) {
  Curve curve;
  curve.add_validation("perplexity", {1, std::numeric_limits<double>::infinity()});
  curve.add_validation("perplexity", {2, std::numeric_limits<double>::quiet_NaN()});
  EXPECT_EQ(curve.text(), "");
}

TEST(Curve, ThinsLongLines) {
  Curve curve;
  for (int update = 1; update <= 100'000; ++update) curve.add_training({update, 1.0 / update});
  EXPECT_LT(curve.svg("long").size(), 30'000U);
}

}  // namespace
}  // namespace heed::training
