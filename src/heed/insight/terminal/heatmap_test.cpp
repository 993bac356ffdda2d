// SPDX-License-Identifier: Apache-2.0
#include "heed/insight/terminal/heatmap.h"

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
            "   0\n0  \x1b[38;5;16;48;2;230;244;255m  \x1b[0m\n");
  const std::string indexed = heatmap(weights, {.screen = {.width = 8, .colour = Colour::indexed}});
  EXPECT_NE(indexed.find("\x1b[38;5;16;48;5;195m"), std::string::npos) << indexed;
}

// What is between the name of the row and the end of the line.
std::string cells_of(const Tensor& weights, const Screen& screen) {
  const std::string text = heatmap(weights, {.screen = screen, .masks = true});
  return text.substr(text.rfind("\n0  ") + 4);
}

TEST(Heatmap, ShowsZeroMaskedAndTinyInThreeWays) {
  const Tensor weights = Tensor::of({1, 4}, {0, static_cast<Real>(NAN), 1e-7f, 1});
  EXPECT_EQ(cells_of(weights, {}), "     0 /      .  .00 @  1.0\n");
  EXPECT_EQ(cells_of(weights, {.width = 12}), "  //..@@\n");
  for (const Colour colour : {Colour::full, Colour::indexed}) {
    const Screen screen{.width = 12, .colour = colour};
    EXPECT_EQ(cells_of(weights, screen), "  " + hatched(2, screen) + shaded("  ", 1e-7, screen) +
                                             shaded("  ", 1, screen) + "\n");
  }
}

TEST(Heatmap, SetsNamesUprightOverNarrowCells) {
  const Tensor weights = Tensor::of({1, 3}, {1, 0, .5f});
  const std::vector<std::string> names = {"cat", "a", "e\u0301s"};
  EXPECT_EQ(heatmap(weights, {.rows = {"x"}, .columns = names, .screen = {.width = 11}}),
            "   c\n   a   e\u0301\n   t a s\nx  @@  ++\n");
}

TEST(Heatmap, NumbersNamesThatCannotStandUpright) {
  const Tensor weights = Tensor::of({1, 9}, {1, 0, 0, 0, 0, 0, 0, 0, 0});
  const std::vector<std::string> names = {"猫", "b", "c", "d", "e", "f", "g", "h", "i"};
  EXPECT_EQ(heatmap(weights, {.rows = {"x"}, .columns = names, .screen = {.width = 12}}),
            "   0\nx  @\n\n0 猫  1 b\n2 c  3 d\n4 e  5 f\n6 g  7 h\n8 i\n");
}

TEST(Heatmap, KeepsControlCharactersOfNamesAway) {
  const std::string text =
      heatmap(Tensor::full({1, 1}, 1), {.rows = {"\x1b[2Jx"}, .columns = {"\n"}});
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_NE(text.find("␛[2Jx"), std::string::npos);
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
