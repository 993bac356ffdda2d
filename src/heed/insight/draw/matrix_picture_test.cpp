// SPDX-License-Identifier: Apache-2.0
#include "heed/insight/draw/matrix_picture.h"

#include <gtest/gtest.h>

#include <cmath>

#include <set>

#include "heed/insight/draw/matrix_view_testing.h"

namespace heed::insight {
namespace {

// The colours inside a cell, its border left out.
std::set<std::uint32_t> colours_in(const Pixels& pixels, const Box& box) {
  std::set<std::uint32_t> colours;
  for (double y = box.y + 2; y < box.y + box.height - 2; ++y) {
    for (double x = box.x + 2; x < box.x + box.width - 2; ++x) colours.insert(pixels.at({x, y}));
  }
  return colours;
}

std::uint32_t packed(const Rgb& colour) {
  const auto part = [](double value) {
    return static_cast<std::uint32_t>(std::lround(value * 255));
  };
  return part(colour.red) << 16 | part(colour.green) << 8 | part(colour.blue);
}

TEST(MatrixPicture, ShowsZeroMaskedAndTinyInThreeWays) {
  const MatrixView view = small_view();
  const MatrixLayout layout = matrix_layout(view);
  for (const Theme theme : {Theme::light, Theme::dark}) {
    for (const Ramp ramp : {Ramp::blue, Ramp::cividis, Ramp::gray}) {
      const ColourMap map(ramp, theme);
      const Pixels pixels = pixels_of(matrix_drawing(view, {theme, ramp}));
      const auto zero = colours_in(pixels, cell_box(layout, 0, 1));
      const auto masked = colours_in(pixels, cell_box(layout, 0, 2));
      const auto tiny = colours_in(pixels, cell_box(layout, 1, 0));
      EXPECT_EQ(zero, (std::set{packed(map.blank())})) << "blank, without a number";
      EXPECT_GT(masked.size(), 3u) << "lines on the ground";
      EXPECT_TRUE(masked.contains(packed(palette_of(theme).ground)));
      EXPECT_EQ(tiny.size(), 1u) << "a tint, and no number";
      EXPECT_NE(tiny, zero);
      EXPECT_NE(tiny, (std::set{packed(palette_of(theme).ground)}));
      EXPECT_GT(colours_in(pixels, cell_box(layout, 1, 1)).size(), 3u) << "a number";
    }
  }
}

TEST(MatrixPicture, TellsTheSameThreeWaysWhereCellsAreTooManyForShapes) {
  MatrixView view = even_view(90, 90);
  Real* weights = view.weights.mutable_data();
  weights[0] = 0;
  weights[1] = kMasked;
  weights[2] = Real(1e-7);
  weights[3] = 1;
  for (int i = 0; i < 90; ++i) weights[90 + i] = kMasked;
  const MatrixLayout layout = matrix_layout(view);
  EXPECT_EQ(layout.cell, 8);
  const Pixels pixels = pixels_of(matrix_drawing(view, {}));
  const auto at = [&](int q, int k) { return colours_in(pixels, cell_box(layout, q, k)); };
  const std::uint32_t hatch = packed(palette_of(Theme::light).hatch);
  EXPECT_EQ(at(0, 0), std::set<std::uint32_t>{0xffffff});
  EXPECT_EQ(at(0, 1), (std::set<std::uint32_t>{hatch, 0xffffff}));
  EXPECT_EQ(at(0, 2), std::set{packed(ColourMap().of(1e-7))});
  EXPECT_EQ(at(0, 3), std::set{packed(ColourMap().of(1))});
}

TEST(MatrixPicture, PutsKeysAcrossAndQueriesDown) {
  const MatrixView view = small_view();
  const MatrixLayout layout = matrix_layout(view);
  const Box first = cell_box(layout, 0, 0), across = cell_box(layout, 0, 1);
  EXPECT_EQ(across.x, first.x + layout.cell);
  EXPECT_EQ(across.y, first.y);
  EXPECT_EQ(cell_box(layout, 2, 0).y, first.y + 2 * layout.cell);
  const Pixels pixels = pixels_of(matrix_drawing(view, {}));
  EXPECT_EQ(pixels.at({first.x + 3, first.y + 3}), packed(ColourMap().of(1)));
}

TEST(MatrixPicture, ShrinksItsCellsAndThenItsNames) {
  const MatrixLayout few = matrix_layout(even_view(4, 4));
  EXPECT_EQ(few.cell, 36);
  EXPECT_TRUE(few.numbers);
  EXPECT_EQ(few.every, 1);
  EXPECT_EQ(few.angle, 0);
  const MatrixLayout some = matrix_layout(even_view(40, 40));
  EXPECT_EQ(some.cell, 18);
  EXPECT_FALSE(some.numbers);
  EXPECT_NE(some.angle, 0);
  const MatrixLayout many = matrix_layout(even_view(500, 500));
  EXPECT_EQ(many.cell, 1);
  EXPECT_EQ(many.every, 13);
  EXPECT_LT(many.size.width, 700);
}

TEST(MatrixPicture, DrawsSumsAsBars) {
  MatrixView view = even_view(2, 2);
  view.weights = Tensor::of({2, 2}, {1, 0, 1, 0});
  const MatrixLayout layout = matrix_layout(view);
  const Pixels pixels = pixels_of(matrix_drawing(view, {}));
  const double below = layout.cells.y + layout.cells.height + 20;
  const auto middle = [&](int k) { return cell_box(layout, 0, k).x + layout.cell / 2; };
  EXPECT_EQ(pixels.at({middle(0), below}), packed(palette_of(Theme::light).accent));
  EXPECT_EQ(pixels.at({middle(1), below + 10}), 0xffffffu);
}

TEST(MatrixPicture, StaysInsideItsDrawingWithLongNames) {
  MatrixView view = small_view();
  view.keys = {"a-word-that-is-far-too-long-for-any-cell-of-any-matrix", "b", "另一个非常长的词语"};
  const MatrixLayout layout = matrix_layout(view);
  EXPECT_LT(layout.cells.y, 160);
  const Pixels pixels = pixels_of(matrix_drawing(view, {}));
  for (std::int64_t x = 0; x < pixels.width; ++x) {
    EXPECT_EQ(pixels.at({static_cast<double>(x), 0}), 0xffffffu) << x;
  }
}

}  // namespace
}  // namespace heed::insight
