// SPDX-License-Identifier: Apache-2.0
// Colours as escape sequences, and what the environment says of a terminal.
#include "heed/insight/terminal/shade.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

namespace heed::insight {
namespace {

// The levels of the 6 x 6 x 6 cube of the 256 colours.
constexpr std::array kCube = {0, 95, 135, 175, 215, 255};

int cube_level(double part) {
  const auto nearer = [&](int a, int b) {
    return std::abs(a - 255 * part) < std::abs(b - 255 * part);
  };
  return static_cast<int>(std::ranges::min_element(kCube, nearer) - kCube.begin());
}

// Text on a background of this colour, black or white, whichever can be read.
std::string painted(std::string_view text, const Rgb& colour, Colour depth) {
  const int ink = ink_on(colour) == rgb(0x000000) ? 16 : 231;
  if (depth == Colour::full) {
    const auto part = [](double value) { return static_cast<int>(std::lround(255 * value)); };
    return fmt::format("\x1b[38;5;{};48;2;{};{};{}m{}\x1b[0m", ink, part(colour.red),
                       part(colour.green), part(colour.blue), text);
  }
  return fmt::format("\x1b[38;5;{};48;5;{}m{}\x1b[0m", ink, indexed_colour(colour), text);
}

std::size_t from_environment(const char* name) {
  const char* text = std::getenv(name);
  return text == nullptr ? 0 : std::strtoul(text, nullptr, 10);
}

}  // namespace

Screen screen_of(int descriptor) {
  Screen screen;
  winsize size{};
  const bool terminal = isatty(descriptor) == 1;
  if (terminal && ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    screen.width = size.ws_col;
  } else if (const std::size_t columns = from_environment("COLUMNS"); columns > 0) {
    screen.width = columns;
  }
  const auto setting = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string_view(value == nullptr ? "" : value);
  };
  if (!terminal || !setting("NO_COLOR").empty() || setting("TERM") == "dumb") return screen;
  // "0;15" is black on white, as some terminals say; 7 and 15 are the light grounds.
  const std::string_view ground = setting("COLORFGBG");
  if (ground.ends_with(";7") || ground.ends_with(";15")) screen.theme = Theme::light;
  const std::string_view depth = setting("COLORTERM");
  screen.colour = depth == "truecolor" || depth == "24bit" ? Colour::full : Colour::indexed;
  return screen;
}

int indexed_colour(const Rgb& colour) {
  return 16 + 36 * cube_level(colour.red) + 6 * cube_level(colour.green) + cube_level(colour.blue);
}

std::string shaded(std::string_view text, double share, const Screen& screen) {
  if (screen.colour == Colour::none || share == 0 || std::isnan(share)) return std::string(text);
  return painted(text, ColourMap(screen.colours, screen.theme).of(share), screen.colour);
}

std::string hatched(std::size_t columns, const Screen& screen) {
  if (screen.colour == Colour::none) return std::string(columns, '/');
  std::string strokes;
  for (std::size_t i = 0; i < columns; ++i) strokes += "╱";
  return fmt::format("\x1b[2m{}\x1b[0m", strokes);
}

std::string weight_text(double weight) {
  if (std::isnan(weight)) return "NaN";
  if (std::isinf(weight)) return weight > 0 ? "inf" : "-inf";
  if (weight == 0) return "0";
  std::string text = fmt::format("{:.2f}", weight);
  if (std::abs(weight) >= 0.995) text = fmt::format("{:.1f}", weight);
  if (text.size() > 5) text = fmt::format("{:.0e}", weight);
  const std::size_t zero = text.find("0.");
  if (zero == 0 || (zero == 1 && text[0] == '-')) text.erase(zero, 1);
  return text;
}

}  // namespace heed::insight
