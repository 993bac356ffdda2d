// SPDX-License-Identifier: Apache-2.0
// Half blocks: the upper pixel is the character's ink, the lower one its ground.
#include "heed/insight/terminal/overlay_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "heed/base/text.h"

namespace heed::insight {
namespace {

constexpr std::string_view kOverlayShades =
    " .:-=+*#%@";  // dark to bright: grounds are mostly dark
constexpr int kViewGap = 2;

// One view in pixels as high as wide, and what is written over them.
struct Raster {
  std::int64_t width = 0;
  std::int64_t height = 0;  // even
  std::vector<Rgb> colours{};
  std::vector<std::string> letters{};  // of each character, row by row; empty: none

  void mark(double x, double y, const Rgb& colour) {
    const auto column = static_cast<std::int64_t>(std::floor(x));
    const auto row = static_cast<std::int64_t>(std::floor(y));
    if (column < 0 || row < 0 || column >= width || row >= height) return;
    colours[static_cast<std::size_t>(row * width + column)] = colour;
  }
};

void mark_box(Raster& raster, const images::Box& box, const images::Image& image,
              const Rgb& colour) {
  const double across = static_cast<double>(raster.width) / static_cast<double>(image.width);
  const double down = static_cast<double>(raster.height) / static_cast<double>(image.height);
  const auto left = static_cast<double>(box.left) * across;
  const auto top = static_cast<double>(box.top) * down;
  // The last pixel inside.
  const double right = std::max(left, static_cast<double>(box.right) * across - 1);
  const double bottom = std::max(top, static_cast<double>(box.bottom) * down - 1);
  for (double x = left; x < right + .5; ++x) {
    raster.mark(x, top, colour);
    raster.mark(x, bottom, colour);
  }
  for (double y = top; y < bottom + .5; ++y) {
    raster.mark(left, y, colour);
    raster.mark(right, y, colour);
  }
}

Raster raster_of(const OverlayScene& scene, const OverlayView& view, int columns) {
  const images::Image& image = image_of(scene, view);
  Raster raster{.width = columns};
  raster.height = std::max<std::int64_t>(
      2, static_cast<std::int64_t>(std::lround(static_cast<double>(image.height) * columns /
                                               static_cast<double>(image.width) / 2)) *
             2);
  raster.colours = overlaid(scene, view, raster.width, raster.height);
  raster.letters.resize(static_cast<std::size_t>(raster.width * raster.height / 2));
  const auto width = static_cast<double>(raster.width), height = static_cast<double>(raster.height);
  for (const auto* boxes : {&scene.gold, &view.gold}) {
    for (const images::Box& box : *boxes) mark_box(raster, box, image, kGoldColour);
  }
  for (const PlaneDensity& density : view.densities) {
    for (const PlaneEllipse& e : ellipses_of(density)) {
      for (double t = 0; t < 6.2832; t += .02) {
        const double c = std::cos(t), s = std::sin(t);
        raster.mark(width * (e.x + c * e.first_x + s * e.second_x),
                    height * (e.y + c * e.first_y + s * e.second_y), kDensityColour);
      }
    }
  }
  for (const GlimpseStop& stop : view.path) {
    for (const images::Box& box : stop.boxes) mark_box(raster, box, image, kPathColour);
  }
  for (std::size_t i = 0; i < view.path.size(); ++i) {
    const auto column =
        static_cast<std::int64_t>(std::clamp(std::floor(width * view.path[i].x), 0., width - 1));
    const auto row = static_cast<std::int64_t>(
        std::clamp(std::floor(height * view.path[i].y / 2), 0., height / 2 - 1));
    // Of stops at one place the last is read.
    raster.letters[static_cast<std::size_t>(row * raster.width + column)] =
        fmt::format("{}", i % 10);
  }
  return raster;
}

std::string colour_code(const Rgb& colour, bool ground, Colour depth) {
  const auto part = [](double value) { return static_cast<int>(std::lround(255 * value)); };
  const int kind = ground ? 48 : 38;
  if (depth == Colour::full) {
    return fmt::format("{};2;{};{};{}", kind, part(colour.red), part(colour.green),
                       part(colour.blue));
  }
  return fmt::format("{};5;{}", kind, indexed_colour(colour));
}

std::string overlay_character(const Raster& raster, std::int64_t row, std::int64_t column,
                              const Screen& screen) {
  const auto at = [&](std::int64_t y) {
    return raster.colours[static_cast<std::size_t>(y * raster.width + column)];
  };
  const std::string& letter = raster.letters[static_cast<std::size_t>(row * raster.width + column)];
  const Rgb upper = at(2 * row), lower = at(2 * row + 1);
  if (screen.colour == Colour::none) {
    if (!letter.empty()) return letter;
    if (upper == kGoldColour || lower == kGoldColour) return "o";
    if (upper == kPathColour || lower == kPathColour) return "x";
    const auto brightness = [](const Rgb& c) { return .3 * c.red + .59 * c.green + .11 * c.blue; };
    const double mean = (brightness(upper) + brightness(lower)) / 2;
    const auto place = static_cast<std::size_t>(std::lround(mean * 9));
    return std::string(1, kOverlayShades[std::min<std::size_t>(place, 9)]);
  }
  if (!letter.empty()) {
    return fmt::format("\x1b[1;{};{}m{}\x1b[0m",
                       colour_code(ink_on(kPathColour), false, screen.colour),
                       colour_code(kPathColour, true, screen.colour), letter);
  }
  return fmt::format("\x1b[{};{}m▀\x1b[0m", colour_code(upper, false, screen.colour),
                     colour_code(lower, true, screen.colour));
}

// The lines below a view.
std::vector<std::string> words_of(const OverlayScene& scene, const OverlayView& view) {
  std::vector<std::string> words;
  if (!view.label.empty()) words.push_back(view.label);
  if (view.gate) words.push_back("gate " + weight_text(*view.gate));
  if (!view.chances.empty()) {
    const auto best = std::ranges::max_element(view.chances) - view.chances.begin();
    words.push_back(scene.classes[static_cast<std::size_t>(best)] + " " +
                    weight_text(view.chances[static_cast<std::size_t>(best)]));
  }
  return words;
}

}  // namespace

std::string overlay_view(const OverlayScene& scene, const OverlayViewOptions& options) {
  check_overlay(scene);
  const int wide = static_cast<int>(std::min<std::size_t>(options.screen.width, 1000));
  const int columns = std::clamp(options.columns, 4, std::max(4, wide));
  const std::size_t fit = std::max(1, (wide + kViewGap) / (columns + kViewGap));
  std::string text;
  for (std::size_t first = 0; first < scene.views.size(); first += fit) {
    const std::size_t last = std::min(scene.views.size(), first + fit);
    std::vector<Raster> rasters;
    std::vector<std::vector<std::string>> words;
    std::int64_t rows = 0;
    std::size_t lines = 0;
    for (std::size_t i = first; i < last; ++i) {
      rasters.push_back(raster_of(scene, scene.views[i], columns));
      words.push_back(words_of(scene, scene.views[i]));
      rows = std::max(rows, rasters.back().height / 2);
      lines = std::max(lines, words.back().size());
    }
    if (first > 0) text += "\n";
    for (std::int64_t row = 0; row < rows; ++row) {
      std::string line;
      for (const Raster& raster : rasters) {
        if (&raster != &rasters.front()) line += std::string(kViewGap, ' ');
        for (std::int64_t column = 0; column < columns; ++column) {
          line += 2 * row < raster.height ? overlay_character(raster, row, column, options.screen)
                                          : " ";
        }
      }
      text += line + "\n";
    }
    for (std::size_t i = 0; i < lines; ++i) {
      std::string line;
      for (const std::vector<std::string>& of_view : words) {
        const std::string word = i < of_view.size() ? of_view[i] : "";
        line += pad_right(word, static_cast<std::size_t>(columns + kViewGap));
      }
      line.erase(line.find_last_not_of(' ') + 1);
      text += line + "\n";
    }
  }
  return text;
}

}  // namespace heed::insight
