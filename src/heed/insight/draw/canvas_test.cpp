// SPDX-License-Identifier: Apache-2.0
#include "heed/insight/draw/canvas.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "heed/base/error.h"
#include "heed/base/testing.h"

namespace heed::insight {
namespace {

constexpr Rgb kBlack = rgb(0x000000);
constexpr Rgb kRed = rgb(0xff0000);

Drawing drawing(std::function<void(Canvas&)> draw, Size size = {120, 60}) {
  return {.size = size, .title = "a picture", .draw = std::move(draw)};
}

// Pixels inside the box that are not of the ground.
std::size_t inked(const Pixels& pixels, const Box& box) {
  std::size_t count = 0;
  for (double y = box.y; y < box.y + box.height; ++y) {
    for (double x = box.x; x < box.x + box.width; ++x) count += pixels.at({x, y}) != 0xffffff;
  }
  return count;
}

TEST(Canvas, DrawsWhereItIsToldAtEveryScale) {
  const Drawing box = drawing([](Canvas& canvas) { canvas.fill({10, 20, 30, 10}, kRed); });
  for (const double scale : {1., 2., 3.5}) {
    const Pixels pixels = pixels_of(box, scale);
    EXPECT_EQ(pixels.width, std::ceil(120 * scale));
    EXPECT_EQ(pixels.at({25 * scale, 25 * scale}), 0xff0000u);
    EXPECT_EQ(pixels.at({45 * scale, 25 * scale}), 0xffffffu);
  }
}

TEST(Canvas, HatchesTheBoxAndNothingBesideIt) {
  const Pixels pixels = pixels_of(drawing([](Canvas& canvas) {
    canvas.hatch(std::vector<Box>{{20, 10, 40, 40}}, kBlack);
  }));
  const std::size_t inside = inked(pixels, {20, 10, 40, 40});
  EXPECT_GT(inside, 300u);
  EXPECT_LT(inside, 1200u) << "lines, not a filled box";
  EXPECT_EQ(inked(pixels, {62, 0, 58, 60}), 0u);
}

TEST(Canvas, ArchesFromPlaceToPlaceAndNoHigherThanItIsTold) {
  const Pixels pixels = pixels_of(drawing([](Canvas& canvas) {
    canvas.arch({20, 50}, {100, 50}, 30, {.colour = kBlack, .width = 2});
  }));
  EXPECT_GT(inked(pixels, {18, 44, 5, 5}), 4u) << "upright at one end";
  EXPECT_GT(inked(pixels, {97, 44, 5, 5}), 4u) << "and at the other";
  EXPECT_GT(inked(pixels, {58, 18, 4, 4}), 4u) << "30 above half-way";
  EXPECT_EQ(inked(pixels, {0, 0, 120, 17}), 0u);
}

TEST(Canvas, DashesLinesAndPointsArrowsDown) {
  const auto line = [](double dash) {
    return inked(pixels_of(drawing([=](Canvas& canvas) {
                   canvas.line({0, 30}, {120, 30}, {.colour = kBlack, .width = 2, .dash = dash});
                 })),
                 {0, 20, 120, 20});
  };
  EXPECT_NEAR(static_cast<double>(line(5)), static_cast<double>(line(0)) / 2, 30);
  const Pixels head = pixels_of(drawing([](Canvas& canvas) {
    canvas.arrowhead({60, 40}, 10, {.colour = kRed});
  }));
  EXPECT_EQ(head.at({60, 35}), 0xff0000u);
  EXPECT_GT(inked(head, {50, 30, 20, 4}), inked(head, {50, 36, 20, 4}));
  EXPECT_EQ(inked(head, {50, 41, 20, 10}), 0u);
}

TEST(Canvas, DrawsAnEllipseThroughTheEndsOfItsRadiiAndNotInside) {
  const Pixels pixels = pixels_of(drawing([](Canvas& canvas) {
    canvas.ellipse({60, 30}, {32, 16}, {-8, 8}, {.colour = kRed, .width = 2});
  }));
  const double part = std::sqrt(.5);
  for (const Point place : {Point{92, 46},
                            {28, 14},
                            {52, 38},
                            {68, 22},
                            {60 + part * (32 - 8), 30 + part * (16 + 8)}}) {
    EXPECT_GT(inked(pixels, {std::floor(place.x) - 1, std::floor(place.y) - 1, 3, 3}), 2u)
        << place.x;
  }
  EXPECT_EQ(inked(pixels, {56, 26, 8, 8}), 0u);
  EXPECT_EQ(inked(pixels, {0, 40, 40, 20}), 0u);
}

TEST(Canvas, DrawsOnlyWithinABoxWhileItIsTold) {
  const Pixels pixels = pixels_of(drawing([](Canvas& canvas) {
    canvas.within({20, 10, 20, 20}, [&] { canvas.fill({0, 0, 120, 60}, kRed); });
    canvas.fill({100, 0, 20, 10}, kBlack);
  }));
  EXPECT_EQ(inked(pixels, {20, 10, 20, 20}), 400u);
  EXPECT_EQ(inked(pixels, {0, 0, 120, 60}), 600u);
}

TEST(Canvas, FillsABoxWithSharpCells) {
  const std::vector<Rgb> colours = {kBlack, kRed, kRed, kBlack};
  const Pixels pixels = pixels_of(drawing([&](Canvas& canvas) {
    canvas.cells({10, 10, 40, 40}, 2, colours);
  }));
  EXPECT_EQ(pixels.at({28, 28}), 0x000000u);
  EXPECT_EQ(pixels.at({31, 28}), 0xff0000u);
  EXPECT_EQ(pixels.at({28, 31}), 0xff0000u);
  EXPECT_EQ(pixels.at({31, 31}), 0x000000u);
}

TEST(Canvas, PutsTextWhereItsAlignmentSays) {
  const auto text = [](Align align) {
    return pixels_of(drawing([=](Canvas& canvas) {
      canvas.text({60, 30}, "word", {.align = align});
    }));
  };
  const Box left{0, 0, 60, 60}, right{60, 0, 60, 60};
  EXPECT_EQ(inked(text(Align::start), left), 0u);
  EXPECT_GT(inked(text(Align::start), right), 20u);
  EXPECT_GT(inked(text(Align::end), left), 20u);
  EXPECT_EQ(inked(text(Align::end), right), 0u);
  EXPECT_GT(inked(text(Align::middle), left), 10u);
  EXPECT_GT(inked(text(Align::middle), right), 10u);
}

TEST(Canvas, TurnsTextAboutItsPlace) {
  const Pixels pixels = pixels_of(drawing([](Canvas& canvas) {
    canvas.text({60, 55}, "words", {.angle = 90});
  }));
  EXPECT_GT(inked(pixels, {50, 10, 20, 45}), 20u);
  EXPECT_EQ(inked(pixels, {75, 0, 45, 60}), 0u);
}

TEST(Canvas, CutsTextThatHasNoRoom) {
  EXPECT_GT(text_size("a long line of words").width, 100);
  EXPECT_LE(text_size("a long line of words", {.room = 60}).width, 60);
  EXPECT_NEAR(text_size("word", {.size = 24}).width, 2 * text_size("word", {.size = 12}).width, .5);
}

TEST(Canvas, GivesTheSameBytesEachTime) {
  const std::vector<Rgb> colours = {kBlack, kRed};
  const Drawing all = drawing([&](Canvas& canvas) {
    canvas.cells({0, 0, 10, 5}, 2, colours);
    canvas.curve({0, 0}, {50, 50}, {.colour = kRed, .width = 2, .opacity = .5});
    canvas.fill_rounded({5, 5, 30, 20}, 4, kRed);
    canvas.text({60, 30}, "é שלום 猫", {.bold = true, .angle = 30});
  });
  EXPECT_EQ(svg_of(all), svg_of(all));
  EXPECT_EQ(png_of(all, 2), png_of(all, 2));
  EXPECT_NE(png_of(all, 1), png_of(all, 2));
}

TEST(Canvas, WritesFilesOfTheirKind) {
  const Drawing line = drawing([](Canvas& canvas) { canvas.line({0, 0}, {9, 9}, {}); });
  EXPECT_TRUE(png_of(line).starts_with("\x89PNG\r\n"));
  const std::string svg = svg_of(line);
  EXPECT_NE(svg.find("<title>a picture</title>"), std::string::npos) << svg;
  EXPECT_NE(svg.find("width=\"120px\""), std::string::npos) << svg;
}

// Hebrew and Chinese in glyphs of their own where a font has them: each letter looks different,
// which boxes for missing glyphs of a small size hardly would. Without the fonts they are boxes.
TEST(Canvas, DrawsScriptsByTheirFontsAndBoxesWithout) {
  for (const auto& [one, other] : {std::pair{"שלום", "לשמו"}, {"猫", "狗"}, {"é", "e\u0302"}}) {
    const auto drawn = [](const std::string& text) {
      return png_of(drawing([=](Canvas& canvas) { canvas.text({5, 30}, text, {.size = 30}); }));
    };
    EXPECT_NE(drawn(one), drawn(other));
    EXPECT_GT(text_size(one).width, 4);
    if (characters_without_font(one) > 0) {
      GTEST_LOG_(INFO) << "no font here has " << one << ", which is drawn as boxes";
    }
  }
  EXPECT_EQ(characters_without_font("cat"), 0);
  EXPECT_EQ(characters_without_font("\U000F1234"), 1);  // unassigned
}

TEST(Canvas, KnowsWhatReadsFromTheRight) {
  using Words = std::vector<std::string>;
  EXPECT_TRUE(reads_from_right(Words{"החתול", "ישן", "."}));
  EXPECT_FALSE(reads_from_right(Words{"the", "cat", "שלום"}));
  EXPECT_FALSE(reads_from_right(Words{"猫"}));
}

TEST(Canvas, RefusesPicturesThatNoImageHolds) {
  const Drawing wide = drawing([](Canvas&) {}, {20000, 10});
  EXPECT_NE(test::message_of<UsageError>([&] { png_of(wide, 2); }).find("40000 x 20 pixels"),
            std::string::npos);
  EXPECT_THROW(png_of(wide, 0), UsageError);
  EXPECT_NE(svg_of(wide).find("20000px"), std::string::npos);
}

}  // namespace
}  // namespace heed::insight
