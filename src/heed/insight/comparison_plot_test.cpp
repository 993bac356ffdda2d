// SPDX-License-Identifier: Apache-2.0
#include "heed/insight/comparison_plot.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"

namespace heed::insight {
namespace {

std::size_t count_of(std::string_view text, std::string_view word) {
  std::size_t count = 0;
  for (std::size_t at = text.find(word); at != std::string_view::npos;
       at = text.find(word, at + 1)) {
    ++count;
  }
  return count;
}

TEST(ComparisonPlot, DrawsABarForEverySystemAndAnIntervalWhereOneIsKnown) {
  const std::vector<ComparedPanel> panels = {
      {"BLEU", {{"with", 90, 88, 92}, {"without", 45, 42, 48}}},
      {"parameters", {{"with", 1000, 1000, 1000}, {"without", 900, 900, 900}}}};
  const std::string svg = comparison_svg(panels);
  EXPECT_EQ(count_of(svg, "class=\"bar\""), 4u);
  EXPECT_EQ(count_of(svg, "class=\"interval\""), 2u);
  EXPECT_NE(svg.find("width=\"205.4\""), std::string::npos) << "45 of 92 of 420 pixels\n" << svg;
}

TEST(ComparisonPlot, OfNothingIsAUsageError) {
  EXPECT_THROW(comparison_svg({}), UsageError);
  EXPECT_THROW(comparison_svg(std::vector<ComparedPanel>{{"BLEU", {}}}), UsageError);
}

}  // namespace
}  // namespace heed::insight
