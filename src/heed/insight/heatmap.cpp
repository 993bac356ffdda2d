// SPDX-License-Identifier: Apache-2.0
// Heatmaps: cells as wide as the screen allows, shaded by one ramp of colours or characters.
#include "heed/insight/heatmap.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <string_view>

#include "heed/base/error.h"
#include "heed/base/text.h"

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
constexpr std::string_view kShades = " .:-=+*#%@";
constexpr std::size_t kNumberCell = 7;    // shade, gap, number, gap
constexpr std::size_t kLongestName = 16;  // of a row
constexpr std::size_t kFewestCells = 8;   // beside each other before blocks are preferred

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

// ".53", "1.0", "-.07", "12"; at most five columns.
std::string number(double weight) {
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

// What all cells of one picture share.
struct Style {
  std::size_t cell = 1;     // columns of a cell
  std::size_t per_row = 1;  // cells beside each other
  std::size_t margin = 0;   // columns of the row's name and the gap behind it
  double largest = 0;       // magnitude of all weights
  Colour colour = Colour::none;
};

std::string cell_of(double weight, const Style& style) {
  const double share = style.largest > 0 ? std::abs(weight) / style.largest : 0;
  const bool wide = style.cell >= kNumberCell;
  if (style.colour != Colour::none) {
    const std::string text = wide ? number(weight) : std::isnan(weight) ? "?" : "";
    // A gap of one column keeps wide cells apart.
    const std::string padded =
        wide ? pad_left(text, style.cell - 2) + " " : pad_left(text, style.cell);
    return painted(padded, blend(weight < 0 ? kNegative : kPositive, share), style.colour) +
           (wide ? " " : "");
  }
  char shade = '?';
  if (!std::isnan(share)) {
    const auto last = static_cast<double>(kShades.size() - 1);
    // Every weight but an exact zero leaves a mark.
    const double place = weight == 0 ? 0 : std::max(1.0, std::round(std::min(share, 1.0) * last));
    shade = kShades[static_cast<std::size_t>(place)];
  }
  if (wide) return fmt::format("{}{} ", shade, pad_left(number(weight), style.cell - 2));
  if (style.cell == 1) return std::string(1, shade);
  return std::string{weight < 0 ? '-' : shade, shade};
}

std::vector<std::string> names_or_numbers(const std::vector<std::string>& names, std::int64_t count,
                                          std::string_view what) {
  if (!names.empty() && names.size() != static_cast<std::size_t>(count)) {
    throw UsageError("heatmap: {} names for {} {}", names.size(), count, what);
  }
  std::vector<std::string> all = names;
  for (std::int64_t i = 0; names.empty() && i < count; ++i) all.push_back(fmt::format("{}", i));
  return all;
}

// The widest cells of which all fit beside each other; else blocks of narrow ones.
Style style_for(std::size_t keys, std::size_t name_width, const Screen& screen) {
  Style style;
  style.colour = screen.colour;
  style.margin = std::min(name_width, kLongestName) + 2;
  const std::size_t room = std::max(screen.width, style.margin + kFewestCells) - style.margin;
  style.cell = 1;
  for (const std::size_t cell : {kNumberCell, std::size_t{2}}) {
    if (keys * cell <= room) {
      style.cell = cell;
      break;
    }
  }
  style.per_row = room / style.cell;
  return style;
}

// Names of keys above cells wide enough for them; otherwise the number of every tenth key.
std::string heading(const std::vector<std::string>& names, std::size_t begin, std::size_t end,
                    const Style& style) {
  std::string line(style.margin, ' ');
  if (style.cell >= kNumberCell) {
    for (std::size_t k = begin; k < end; ++k) {
      line += pad_left(shorten(names[k], style.cell - 2), style.cell - 1) + " ";
    }
  } else {
    for (std::size_t k = begin; k < end; ++k) {
      if (k != begin && k % 10 != 0) continue;
      const std::string label = fmt::format("{}", k);
      const std::size_t at = style.margin + (k - begin) * style.cell;
      if (at < line.size() + (k == begin ? 0 : 1)) continue;  // it would touch the one before
      if (at + label.size() > style.margin + (end - begin) * style.cell && k != begin) continue;
      line = pad_right(line, at) + label;
    }
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
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

std::string heatmap(const Tensor& weights, const HeatmapOptions& options) {
  if (weights.rank() != 2) {
    throw UsageError("heatmap: weights {}; it takes [queries, keys]", weights.shape().text());
  }
  const std::vector<std::string> rows = names_or_numbers(options.rows, weights.size(0), "queries");
  const std::vector<std::string> columns =
      names_or_numbers(options.columns, weights.size(1), "keys");
  const std::vector<Real> values = weights.values();
  std::size_t name_width = 0;
  for (const std::string& name : rows) name_width = std::max(name_width, display_width(name));

  Style style = style_for(columns.size(), name_width, options.screen);
  for (const Real value : values) {
    if (std::isfinite(value)) style.largest = std::max(style.largest, std::abs(double{value}));
  }

  std::string text;
  for (std::size_t begin = 0; begin < columns.size(); begin += style.per_row) {
    const std::size_t end = std::min(begin + style.per_row, columns.size());
    if (begin > 0) text += "\n";
    text += heading(columns, begin, end, style);
    for (std::size_t q = 0; q < rows.size(); ++q) {
      std::string line = pad_right(shorten(rows[q], style.margin - 2), style.margin);
      for (std::size_t k = begin; k < end; ++k) {
        line += cell_of(values[q * columns.size() + k], style);
      }
      line.erase(line.find_last_not_of(' ') + 1);
      text += line + "\n";
    }
  }
  return text;
}

}  // namespace heed::insight
