// SPDX-License-Identifier: Apache-2.0
#include "heed/insight/heatmap.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "heed/base/error.h"
#include "heed/base/text.h"

namespace heed::insight {
namespace {

TEST(Heatmap, ShowsShadesAndNumbersWhereThereIsRoom) {
  const Tensor weights = Tensor::of({2, 3}, {1, 0, 0, 0.25f, 0.5f, 0.25f});
  EXPECT_EQ(heatmap(weights, {.rows = {"le", "chat"}, .columns = {"the", "cat", "sat"}}),
            "         the    cat    sat\n"
            "le    @  1.0      0      0\n"
            "chat  :  .25 +  .50 :  .25\n");
}

TEST(Heatmap, NarrowsItsCellsBeforeItBreaksRows) {
  const Tensor weights = Tensor::of({1, 4}, {1, 0, 0.5f, 0.01f});
  EXPECT_EQ(heatmap(weights, {.screen = {.width = 12}}), "   0\n0  @@  ++..\n");
}

TEST(Heatmap, PutsKeysThatDoNotFitIntoFurtherBlocks) {
  const Tensor weights = Tensor::full({1, 20}, Real(0.05));
  EXPECT_EQ(heatmap(weights, {.screen = {.width = 15}}),
            "   0         10\n0  @@@@@@@@@@@@\n\n   12\n0  @@@@@@@@\n");
}

TEST(Heatmap, NeverGoesBeyondTheScreen) {
  for (const std::size_t width : {12, 30, 80, 200}) {
    for (const std::int64_t keys : {1, 3, 9, 40, 333}) {
      const Tensor weights = Tensor::full({2, keys}, Real(-0.5));
      const std::string text = heatmap(weights, {.rows = {"a", "bb"}, .screen = {.width = width}});
      for (const std::string_view line : split(text, '\n')) {
        EXPECT_LE(display_width(line), width) << keys << " keys\n" << text;
      }
    }
  }
}

TEST(Heatmap, PaintsInTheColoursThereAre) {
  const Tensor weights = Tensor::of({1, 2}, {1, 0});
  EXPECT_EQ(heatmap(weights, {.screen = {.width = 8, .colour = Colour::full}}),
            "   0\n0  \x1b[38;5;16;48;2;215;245;250m  \x1b[0m\x1b[38;5;231;48;2;16;20;32m  "
            "\x1b[0m\n");
  const std::string indexed = heatmap(weights, {.screen = {.width = 8, .colour = Colour::indexed}});
  EXPECT_NE(indexed.find("\x1b[38;5;16;48;5;195m"), std::string::npos) << indexed;
}

TEST(Heatmap, TellsNegativeWeightsAndNaNApart) {
  const Tensor weights = Tensor::of({1, 3}, {-1, 1, static_cast<Real>(NAN)});
  EXPECT_EQ(heatmap(weights), "        0      1      2\n0  @ -1.0 @  1.0 ?  NaN\n");
  EXPECT_EQ(heatmap(weights, {.screen = {.width = 11}}), "   0\n0  -@@@??\n");
}

TEST(Heatmap, SaysWhatDoesNotFit) {
  EXPECT_THROW(heatmap(Tensor::zeros({2, 2, 2})), UsageError);
  EXPECT_THROW(heatmap(Tensor::zeros({2, 2}), {.rows = {"one"}}), UsageError);
}

TEST(ScreenOf, HasNoColoursWhereThereIsNoTerminal) {
  setenv("COLUMNS", "123", 1);
  const Screen screen = screen_of(-1);
  EXPECT_EQ(screen.colour, Colour::none);
  EXPECT_EQ(screen.width, 123u);
  unsetenv("COLUMNS");
  EXPECT_EQ(screen_of(-1).width, 80u);
}

}  // namespace
}  // namespace heed::insight
