// SPDX-License-Identifier: Apache-2.0
#include "heed/insight/draw/normaliser_plot.h"

#include <gtest/gtest.h>

#include <cmath>

#include "heed/base/error.h"
#include "heed/base/text.h"

namespace heed::insight {
namespace {

using attention::Catalogue;
using attention::Normaliser;

std::string picture(std::string_view name) {
  return normaliser_svg(*Catalogue<Normaliser>::find(name)->make());
}

// The points of the curve, one "x,y" each.
std::vector<std::string> points_of(const std::string& svg) {
  const std::string_view text(svg);
  const std::size_t begin = text.find("points=\"", text.find("class=\"curve\"")) + 8;
  std::vector<std::string> points;
  for (const auto point : split(text.substr(begin, text.find('"', begin) - begin), ' ')) {
    points.emplace_back(point);
  }
  return points;
}

// Whether some place of the plane has this colour; the legend's squares carry a stroke.
bool has_region(const std::string& svg, const std::string& colour) {
  return svg.find("fill=\"" + colour + "\"/>") != std::string::npos;
}

TEST(NormaliserPlot, DrawsTheLogisticCurveOfSoftmax) {
  const std::vector<std::string> points = points_of(picture("softmax"));
  ASSERT_EQ(points.size(), 481u);
  // From x = 64 to 364, y = 356 for p = 0 and 56 for p = 1; p(-3) = 0.0474, p(0) = 0.5.
  EXPECT_EQ(points.front(), "64.0,341.8");
  EXPECT_EQ(points[240], "214.0,206.0");
  EXPECT_EQ(points.back(), "364.0,70.2");
}

TEST(NormaliserPlot, DrawsTheClippedLineOfSparsemax) {
  const std::vector<std::string> points = points_of(picture("sparsemax"));
  // p1 is 0 up to -1, 1 from 1 on, and (1 + t) / 2 between.
  EXPECT_EQ(points[160], "164.0,356.0");
  EXPECT_EQ(points[280], "239.0,131.0");
  EXPECT_EQ(points[320], "264.0,56.0");
}

TEST(NormaliserPlot, ShowsEverySupportOfSparsemaxAndOneOfSoftmax) {
  const std::string sparse = picture("sparsemax");
  for (const char* colour : {"#08519c", "#6baed6", "#deebf7"}) {
    EXPECT_TRUE(has_region(sparse, colour)) << colour;
  }
  const std::string dense = picture("softmax");
  EXPECT_TRUE(has_region(dense, "#deebf7"));
  EXPECT_FALSE(has_region(dense, "#6baed6"));
}

TEST(NormaliserPlot, NamesTheKeysOfEachRegionInItsMiddle) {
  const std::string sparse = picture("sparsemax");
  for (const char* keys : {">1<", ">2<", ">3<", ">1 2<", ">1 3<", ">2 3<"}) {
    EXPECT_NE(sparse.find(keys), std::string::npos) << keys;
  }
  // Below the simplex, but for the border in the middle of the plane, whose x is 586.
  EXPECT_NE(sparse.find("x=\"586.5\" y=\"297.5\" text-anchor=\"middle\">2 3<"), std::string::npos);
  EXPECT_EQ(picture("softmax").find(">1 2<"), std::string::npos);
}

TEST(NormaliserPlot, TakesRoundingForNoWeight) {
  // budget leaves about 1e-17 on the third key over most of the plane: without speckles a row of
  // cells has at most three runs and so few characters.
  EXPECT_LT(picture("budget").size(), 40000u);
}

TEST(NormaliserPlot, DrawsEveryNormaliserWithoutNaN) {
  ASSERT_FALSE(Catalogue<Normaliser>::entries().empty());
  for (const auto& entry : Catalogue<Normaliser>::entries()) {
    const auto part = entry.make();
    if (attention::weighs_matrices(*part)) {
      EXPECT_THROW(normaliser_svg(*part), UsageError);
      continue;
    }
    const std::string svg = normaliser_svg(*part);
    EXPECT_TRUE(svg.starts_with("<svg ") && svg.ends_with("</svg>\n")) << entry.card.name;
    EXPECT_EQ(svg.find("nan"), std::string::npos) << entry.card.name;
  }
}

}  // namespace
}  // namespace heed::insight
