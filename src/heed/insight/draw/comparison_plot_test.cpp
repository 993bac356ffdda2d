// SPDX-License-Identifier: Apache-2.0
#include "heed/insight/draw/comparison_plot.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "heed/base/error.h"
#include "heed/base/text.h"

namespace heed::insight {
namespace {

std::ptrdiff_t lines_with(std::string_view text, std::string_view part) {
  return std::ranges::count_if(split(text, '\n'), [&](std::string_view line) {
    return line.find(part) != std::string_view::npos;
  });
}

TEST(ComparisonPlot, DrawsABarForEverySystemAndAnIntervalWhereOneIsKnown) {
  const std::vector<ComparedPanel> panels = {
      {"BLEU", {{"with", 90, 88, 92}, {"without", 45, 42, 48}}},
      {"parameters", {{"with", 1000, 1000, 1000}, {"without", 900, 900, 900}}}};
  const std::string svg = comparison_svg(panels);
  EXPECT_EQ(lines_with(svg, "class=\"bar\""), 4);
  EXPECT_EQ(lines_with(svg, "class=\"interval\""), 2);
  EXPECT_NE(svg.find("width=\"205.4\""), std::string::npos) << "45 of 92 of 420 pixels\n" << svg;
}

TEST(ComparisonPlot, OfNothingIsAUsageError) {
  EXPECT_THROW(comparison_svg({}), UsageError);
  EXPECT_THROW(comparison_svg(std::vector<ComparedPanel>{{"BLEU", {}}}), UsageError);
}

}  // namespace
}  // namespace heed::insight
