// SPDX-License-Identifier: Apache-2.0
#include "heed/insight/draw/length_plot.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"

namespace heed::insight {
namespace {

std::size_t count_of(const std::string& text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

std::vector<LengthSeries> two_systems() {
  const auto bucket = [](std::int64_t first, double bleu) {
    return metrics::LengthBucket{
        .first = first, .last = first + 4, .sentences = 10, .bleu = {.score = bleu}};
  };
  return {{"with <attention>", {bucket(1, 100), bucket(6, 90), bucket(11, 80)}},
          {"without", {bucket(1, 100), bucket(6, 50), bucket(11, 0)}}};
}

TEST(LengthPlot, DrawsALineForEachSystemAndADotForEachBucket) {
  const std::string svg = length_svg(two_systems());
  EXPECT_EQ(count_of(svg, "class=\"line\""), 2u);
  EXPECT_EQ(count_of(svg, "<circle"), 6u);
  EXPECT_NE(svg.find("with &lt;attention>"), std::string::npos);
  EXPECT_NE(svg.find(">6–10<"), std::string::npos);
  // BLEU 100 is at the top, 48, and 0 at the bottom, 328; 13 of 15 words lie at 64 + 520 * 13 / 15.
  EXPECT_NE(svg.find("514.7,328.0\""), std::string::npos) << svg;
  EXPECT_EQ(count_of(svg, "class=\"mark\""), 0u);
}

TEST(LengthPlot, MarksWhereTrainingEnded) {
  const std::string svg = length_svg(two_systems(), {.title = "A & B", .trained = 10});
  EXPECT_EQ(count_of(svg, "class=\"mark\""), 1u);
  EXPECT_NE(svg.find("A &amp; B"), std::string::npos);
}

TEST(LengthPlot, RefusesNothing) {
  EXPECT_THROW(length_svg({}), UsageError);
}

}  // namespace
}  // namespace heed::insight
