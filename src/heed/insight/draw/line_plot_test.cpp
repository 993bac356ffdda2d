// SPDX-License-Identifier: Apache-2.0
#include "heed/insight/draw/line_plot.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "heed/base/error.h"

namespace heed::insight {
namespace {

TEST(LinePlot, PutsPowersOfTenAtEqualDistances) {
  const std::vector<PlotLine> lines = {{"falls", {{1, 100}, {2, 1}, {3, 0.01}}}};
  const std::string svg = line_svg(lines, {.title = "Reach", .y = {.logarithmic = true}});
  // 100 at the top, 48, 1 in the middle, .01 at the bottom, 328; x from 64 to 584.
  EXPECT_NE(svg.find("points=\"64.0,48.0 324.0,188.0 584.0,328.0\""), std::string::npos) << svg;
  EXPECT_NE(svg.find(">1e-2<"), std::string::npos);
}

TEST(LinePlot, LeavesOutWhatHasNoPlace) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<PlotLine> lines = {{"a & b", {{1, 0}, {2, 10, "ten"}, {3, nan}, {4, 100}}}};
  const std::string svg = line_svg(lines, {.title = "T", .y = {.logarithmic = true}});
  EXPECT_NE(svg.find("points=\"64.0,328.0 584.0,48.0\""), std::string::npos) << svg;
  EXPECT_NE(svg.find("<title>a &amp; b: ten</title>"), std::string::npos);
}

TEST(LinePlot, DrawsValuesThatDifferInTheirLastBit) {
  for (const double value : {1.0, 1e-30, -1e300}) {
    const std::vector<PlotLine> lines = {{"a", {{1, value}, {2, std::nextafter(value, 2.0)}}}};
    EXPECT_LT(line_svg(lines, {.title = "T"}).size(), 10000u) << value;
  }
}

TEST(LinePlot, RefusesAPictureOfNothing) {
  const std::vector<PlotLine> lines = {{"zero", {{1, 0}}}};
  EXPECT_THROW(line_svg(lines, {.title = "T", .y = {.logarithmic = true}}), UsageError);
  EXPECT_THROW(line_svg({}, {.title = "T"}), UsageError);
}

}  // namespace
}  // namespace heed::insight
