// SPDX-License-Identifier: Apache-2.0
// Ramps of colours, and what the environment says of a terminal.
#include "heed/insight/shade.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

namespace heed::insight {
namespace {

struct Rgb {
  double red = 0;
  double green = 0;
  double blue = 0;
};

// Dark to light, so that lightness alone tells the weight; positive in blues, negative in reds.
constexpr std::array<Rgb, 4> kPositive = {
    {{16, 20, 32}, {24, 72, 128}, {48, 150, 190}, {215, 245, 250}}};
constexpr std::array<Rgb, 4> kNegative = {
    {{16, 20, 32}, {120, 36, 40}, {205, 90, 60}, {255, 228, 200}}};

Rgb blend(const std::array<Rgb, 4>& ramp, double share) {
  const double place = std::clamp(share, 0.0, 1.0) * (ramp.size() - 1);
  const auto below = std::min(static_cast<std::size_t>(place), ramp.size() - 2);
  const double t = place - static_cast<double>(below);
  const Rgb& a = ramp[below];
  const Rgb& b = ramp[below + 1];
  return {a.red + t * (b.red - a.red), a.green + t * (b.green - a.green),
          a.blue + t * (b.blue - a.blue)};
}

// Text on a background of this colour, black or white, whichever can be read.
std::string painted(std::string_view text, const Rgb& colour, Colour depth) {
  const double light = 0.299 * colour.red + 0.587 * colour.green + 0.114 * colour.blue;
  const int ink = light > 128 ? 16 : 231;
  const auto part = [](double value) { return static_cast<int>(std::lround(value)); };
  if (depth == Colour::full) {
    return fmt::format("\x1b[38;5;{};48;2;{};{};{}m{}\x1b[0m", ink, part(colour.red),
                       part(colour.green), part(colour.blue), text);
  }
  // The 6 x 6 x 6 cube of the 256 colours.
  const auto step = [&](double value) { return part(value / 51); };
  const int index = 16 + 36 * step(colour.red) + 6 * step(colour.green) + step(colour.blue);
  return fmt::format("\x1b[38;5;{};48;5;{}m{}\x1b[0m", ink, index, text);
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
  const std::string_view depth = setting("COLORTERM");
  screen.colour = depth == "truecolor" || depth == "24bit" ? Colour::full : Colour::indexed;
  return screen;
}

std::string shaded(std::string_view text, double share, Colour depth) {
  if (depth == Colour::none) return std::string(text);
  return painted(text, blend(share < 0 ? kNegative : kPositive, std::abs(share)), depth);
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
