// SPDX-License-Identifier: Apache-2.0
#include "heed/insight/draw/arcs_picture.h"

#include <gtest/gtest.h>

#include "heed/insight/draw/matrix_view_testing.h"
#include "heed/insight/draw/word_rows.h"

namespace heed::insight {
namespace {

// How many strokes a line of pixels at this height crosses.
int strokes_at(const Pixels& pixels, double y, double left = 0) {
  const std::uint32_t ground = pixels.at({0, y});
  int strokes = 0;
  bool inside = false;
  for (double x = left; x < static_cast<double>(pixels.width); ++x) {
    const bool ink = pixels.at({x, y}) != ground;
    strokes += ink && !inside;
    inside = ink;
  }
  return strokes;
}

// The top of the words, of which numbers and boxes are below.
double words_top(const Drawing& drawing) {
  return drawing.size.height - 16 - kBoxHeight;
}

TEST(ArcsPicture, LeadsAnArcToEveryWordAndAnArrowToTheRoot) {
  const Drawing drawing = arcs_drawing(tree_view(), {}, 1);
  const Pixels pixels = pixels_of(drawing);
  // Two ends for each of two arcs, and the arrow.
  EXPECT_EQ(strokes_at(pixels, words_top(drawing) - 12), 5);
  EXPECT_EQ(strokes_at(pixels_of(arcs_drawing(even_view(1, 1), {})), 40), 1) << "the root alone";
}

TEST(ArcsPicture, DrawsOtherHeadsDashed) {
  MatrixView view = even_view(2, 2);
  const auto has_dashes = [&](Real weight) {  // on the first word beside one on the root
    view.weights = Tensor::of({2, 2}, {0, 1, weight, 1});
    return svg_of(arcs_drawing(view, {})).find("stroke-dasharray") != std::string::npos;
  };
  EXPECT_FALSE(has_dashes(0));
  EXPECT_FALSE(has_dashes(.05f)) << "below a tenth it is left out";
  EXPECT_TRUE(has_dashes(.4f));
  EXPECT_TRUE(has_dashes(2)) << "the root is the other";
}

TEST(ArcsPicture, IsSeenInEveryColourAndTheme) {
  for (const Ramp colours : {Ramp::blue, Ramp::cividis, Ramp::gray}) {
    for (const Theme theme : {Theme::light, Theme::dark}) {
      const Drawing drawing = arcs_drawing(tree_view(), {.theme = theme, .colours = colours}, 1);
      EXPECT_EQ(strokes_at(pixels_of(drawing), words_top(drawing) - 12), 5)
          << static_cast<int>(colours) << " " << static_cast<int>(theme);
    }
  }
}

TEST(ArcsPicture, BeginsAtTheRightWhereWordsAreReadFromThere) {
  const auto root_at = [](std::vector<std::string> words) {
    MatrixView view = tree_view();
    view.queries = view.keys = std::move(words);
    view.weights = Tensor::of({3, 3}, {1, 0, 0, 0, 0, 0, 0, 0, 0});  // the first word alone
    const Drawing drawing = arcs_drawing(view, {});
    const Pixels pixels = pixels_of(drawing);
    for (double x = 0; x < drawing.size.width; ++x) {
      if (pixels.at({x, words_top(drawing) - 12}) != 0xffffff) return x;
    }
    return -1.;
  };
  EXPECT_GT(root_at({"שלום", "שלום", "שלום"}), root_at({"abcd", "abcd", "abcd"}) + 60);
}

TEST(ArcsPicture, PutsALongTextIntoRowsAndNamesHeadsOfOtherRows) {
  constexpr std::int64_t kCount = 120;
  MatrixView view = even_view(kCount, kCount);
  view.weights = Tensor::full({kCount, kCount}, 0);
  Real* cells = view.weights.mutable_data();
  for (std::int64_t i = 0; i < kCount; ++i) cells[i * kCount + (i > 0 ? i - 1 : 0)] = 1;
  EXPECT_TRUE(arcs_take_rows(view));
  EXPECT_FALSE(arcs_take_rows(tree_view()));
  const Drawing chain = arcs_drawing(view, {});
  EXPECT_LT(chain.size.width, 1500);
  EXPECT_GT(chain.size.height, 3 * (kBoxHeight + 50));
  // The last word hangs on the first, which is some rows above: its arrow from above says so.
  cells[kCount * kCount - 2] = 0;
  cells[(kCount - 1) * kCount] = 1;
  const Drawing far = arcs_drawing(view, {});
  EXPECT_EQ(far.size.height, chain.size.height) << "no arc leaves its row";
  EXPECT_FALSE(svg_of(far) == svg_of(chain));
}

}  // namespace
}  // namespace heed::insight
