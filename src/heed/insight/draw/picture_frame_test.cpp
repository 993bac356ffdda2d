// SPDX-License-Identifier: Apache-2.0
#include "heed/insight/draw/picture_frame.h"

#include <gtest/gtest.h>

#include "heed/insight/draw/matrix_view_testing.h"

namespace heed::insight {
namespace {

TEST(LegendOf, SaysWhatTurnsUp) {
  const Legend legend = legend_of(small_view().weights, Ramp::blue);
  EXPECT_TRUE(legend.zeros);
  EXPECT_TRUE(legend.masked);
  EXPECT_FALSE(legend.below_zero);
  EXPECT_EQ(legend.largest, 1);
  const Tensor half = Tensor::of({1, 2}, {.5f, -.25f});
  EXPECT_EQ(legend_of(half, Ramp::blue).largest, .5);
  EXPECT_TRUE(legend_of(half, Ramp::diverging).below_zero);
  EXPECT_EQ(legend_of(half, Ramp::gray).largest, 1) << "a fixed range";
  EXPECT_EQ(legend_of(Tensor::zeros({2, 2}), Ramp::blue).largest, 1);
}

TEST(PaletteOf, ReadsInBothThemes) {
  for (const Theme theme : {Theme::light, Theme::dark}) {
    const Palette palette = palette_of(theme);
    EXPECT_GE(contrast(palette.ink, palette.ground), 7);
    EXPECT_GE(contrast(palette.dim, palette.ground), 4.5);
  }
}

TEST(Framed, PutsTheContentBelowItsTitleAndTheCaptionBelowThat) {
  const Rgb red = rgb(0xff0000);
  Drawing content{.size = {200, 50}, .draw = [=](Canvas& canvas) {
                    canvas.fill({0, 0, 200, 50}, red);
                  }};
  const auto top = [](const Drawing& drawing) {
    const Pixels pixels = pixels_of(drawing);
    for (std::int64_t y = 0; y < pixels.height; ++y) {
      if (pixels.at({30, static_cast<double>(y)}) == 0xff0000) return y;
    }
    return std::int64_t{-1};
  };
  const Drawing bare = framed(content, {});
  const Drawing titled = framed(content, {.title = "A title", .subtitle = "of two lines"});
  EXPECT_GT(top(titled), top(bare) + 20);
  EXPECT_EQ(titled.title, "A title: of two lines");
  std::string words;
  for (int i = 0; i < 40; ++i) words += "word ";
  const Drawing captioned = framed(content, {.caption = words});
  EXPECT_GT(captioned.size.height, bare.size.height + 40) << "several lines";
  EXPECT_EQ(captioned.size.width, bare.size.width);
}

}  // namespace
}  // namespace heed::insight
