// SPDX-License-Identifier: Apache-2.0
#include "heed/insight/draw/reliability_plot.h"

#include <gtest/gtest.h>

namespace heed::insight {
namespace {

TEST(ReliabilityPlot, HasADotForEachBinThatIsNotEmptyAndTheDiagonal) {
  const std::vector<metrics::Judged> judged = {{.55, true}, {.55, false}, {.95, true}};
  const ReliabilityPanel panel{
      .title = "tone", .lines = {{.name = "tone <b>", .bins = metrics::reliability(judged)}}};
  const std::string svg = reliability_svg(std::span(&panel, 1), "validation");
  EXPECT_NE(svg.find("perfect"), svg.npos);
  EXPECT_NE(svg.find("2 predictions, probability 0.550, right 0.500"), svg.npos) << svg;
  EXPECT_NE(svg.find("1 predictions, probability 0.950, right 1.000"), svg.npos);
  EXPECT_EQ(svg.find("0 predictions"), svg.npos);
  EXPECT_EQ(svg.find("<b>"), svg.npos) << "names are escaped";
}

}  // namespace
}  // namespace heed::insight
