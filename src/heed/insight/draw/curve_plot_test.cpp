// SPDX-License-Identifier: Apache-2.0
#include "heed/insight/draw/curve_plot.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "heed/base/error.h"
#include "heed/base/testing.h"

namespace heed::insight {
namespace {

int occurrences(const std::string& text, std::string_view part) {
  int count = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(CurvePlot, DrawsLossesTogetherAndEachOtherMetricByItself) {
  training::Curve curve;
  for (const auto& [update, loss] : {std::pair{100, 4.0}, {200, 2.0}, {300, 1.0}}) {
    curve.add_training({update, loss});
  }
  curve.add_validation("loss", {200, 3});
  curve.add_validation("bleu", {200, 17.5});
  const std::string svg = curve_svg(curve, "a < b");
  EXPECT_EQ(occurrences(svg, "<polyline"), 3);
  EXPECT_EQ(occurrences(svg, ">updates</text>"), 2) << "panels";
  EXPECT_EQ(occurrences(svg, "<title>a &lt; b</title>"), 1);
  // 100 to 300 updates span 64 to 584 pixels, the losses 4 to 1 the 280 below 48.
  EXPECT_EQ(occurrences(svg, "points=\"64.0,48.0 324.0,234.7 584.0,328.0\""), 1) << svg;
  EXPECT_EQ(occurrences(svg, "<circle cx=\"324.0\""), 2) << "lines of one point";
}

TEST(CurvePlot, DrawsSeveralRunsWithAPanelForEachSeries) {
  std::vector<NamedCurve> runs(2);
  runs[0].name = "small";
  runs[1].name = "large";
  for (const std::int64_t update : {100, 200}) {
    for (NamedCurve& run : runs) run.curve.add_training({update, 1.0});
    runs[1].curve.add_validation("bleu", {update, 30});
  }
  const std::string svg = curves_svg(runs, "runs");
  EXPECT_EQ(occurrences(svg, "<polyline"), 3);
  EXPECT_EQ(occurrences(svg, ">updates</text>"), 2) << "panels";
  EXPECT_EQ(occurrences(svg, ">large</text>"), 2) << svg;
  EXPECT_EQ(occurrences(curves_svg(runs, "runs", std::vector<std::string>{"bleu"}), "<polyline"),
            1);
  EXPECT_EQ(test::message_of<UsageError>([&] {
              static_cast<void>(curves_svg(runs, "runs", std::vector<std::string>{"blue"}));
            }),
            "no run has a curve \"blue\" (did you mean \"bleu\"?); there are bleu, training loss");
}

TEST(CurvePlot, DrawsEvenNoPointAtAll) {
  const std::string svg = curve_svg({}, "empty");
  EXPECT_EQ(occurrences(svg, "<polyline"), 0);
  EXPECT_EQ(occurrences(svg, "<title>empty</title>"), 1);
}

TEST(CurvePlot, DrawsValuesThatDifferInTheirLastBitAndTheLargestUpdate) {
  training::Curve curve;
  curve.add_training({1, 1.0});
  curve.add_training({2, std::nextafter(1.0, 2.0)});
  curve.add_training({std::numeric_limits<std::int64_t>::max(), 1.0});
  EXPECT_LT(curve_svg(curve, "run").size(), 10'000U);
}

TEST(CurvePlot, ThinsLongLines) {
  training::Curve curve;
  for (int update = 1; update <= 100'000; ++update) curve.add_training({update, 1.0 / update});
  EXPECT_LT(curve_svg(curve, "long").size(), 30'000U);
}

}  // namespace
}  // namespace heed::insight
