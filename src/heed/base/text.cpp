// SPDX-License-Identifier: Apache-2.0
// Text helpers: see text.h for what each promises.
#include "heed/base/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "heed/base/error.h"

namespace heed {
namespace {

constexpr std::string_view kWhite = " \t\r\n\f\v";

struct CodePoint {
  char32_t value = 0;
  std::size_t bytes = 0;  // 0: not well-formed
};

// Table 3-7 of the Unicode standard: the second byte's range depends on the first.
CodePoint decode(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  if (first < 0x80) return {first, 1};
  std::size_t bytes = 0;
  unsigned low = 0x80;
  unsigned high = 0xBF;
  if (first >= 0xC2 && first <= 0xDF) {
    bytes = 2;
  } else if (first >= 0xE0 && first <= 0xEF) {
    bytes = 3;
    if (first == 0xE0) low = 0xA0;
    if (first == 0xED) high = 0x9F;
  } else if (first >= 0xF0 && first <= 0xF4) {
    bytes = 4;
    if (first == 0xF0) low = 0x90;
    if (first == 0xF4) high = 0x8F;
  }
  if (bytes == 0 || text.size() < bytes) return {};
  char32_t value = first & (0x7Fu >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    const unsigned next = byte(i);
    if (next < low || next > high) return {};
    low = 0x80;
    high = 0xBF;
    value = (value << 6) | (next & 0x3Fu);
  }
  return {value, bytes};
}

using Range = std::pair<char32_t, char32_t>;

// The blocks met in practice, not the whole of Unicode's tables: enough to align a table or a
// progress line.
constexpr std::array<Range, 12> kCombining = {{{0x0300, 0x036F},
                                               {0x0483, 0x0489},
                                               {0x0591, 0x05BD},
                                               {0x064B, 0x065F},
                                               {0x093A, 0x093C},
                                               {0x0941, 0x0948},
                                               {0x0E34, 0x0E3A},
                                               {0x1AB0, 0x1AFF},
                                               {0x1DC0, 0x1DFF},
                                               {0x200B, 0x200F},
                                               {0x20D0, 0x20FF},
                                               {0xFE00, 0xFE0F}}};
constexpr std::array<Range, 10> kWide = {{{0x1100, 0x115F},
                                          {0x2E80, 0x303E},
                                          {0x3041, 0x33FF},
                                          {0x3400, 0x4DBF},
                                          {0x4E00, 0xA4CF},
                                          {0xAC00, 0xD7A3},
                                          {0xF900, 0xFAFF},
                                          {0xFE30, 0xFE6F},
                                          {0xFF00, 0xFF60},
                                          {0x1F300, 0x3FFFD}}};

template <std::size_t N>
bool within(const std::array<Range, N>& ranges, char32_t value) {
  return std::any_of(ranges.begin(), ranges.end(), [value](const Range& range) {
    return value >= range.first && value <= range.second;
  });
}

std::size_t columns(char32_t value) {
  if (value < 0x300) return 1;
  if (within(kCombining, value)) return 0;
  return within(kWide, value) ? 2 : 1;
}

template <typename Number>
bool parse_whole(std::string_view text, Number& value) {
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  return result.ec == std::errc{} && result.ptr == end;
}

}  // namespace

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  for (;;) {
    const std::size_t end = text.find(separator, begin);
    if (end == std::string_view::npos) break;
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  parts.push_back(text.substr(begin));
  return parts;
}

std::string_view trim(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kWhite);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kWhite) - begin + 1);
}

std::string join(std::span<const std::string> parts, std::string_view separator) {
  std::string joined;
  for (const std::string& part : parts) {
    if (&part != parts.data()) joined += separator;
    joined += part;
  }
  return joined;
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // Row i of the table holds the distances of a's first i letters to every beginning of b.
  std::vector<std::size_t> two_back(b.size() + 1);
  std::vector<std::size_t> back(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::swap(two_back, back);
    std::swap(back, row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = back[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({back[j] + 1, row[j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], two_back[j - 2] + 1);
      }
    }
  }
  return row[b.size()];
}

std::string nearest(std::string_view word, std::span<const std::string> candidates) {
  // Longer words are no slip of the keyboard, and the table would cost their product.
  constexpr std::size_t kLongest = 256;
  if (word.size() > kLongest) return {};
  const std::string wanted = lower(word);
  std::string best;
  std::size_t fewest = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    if (candidate.size() > kLongest) continue;
    const std::size_t distance = edit_distance(wanted, lower(candidate));
    if (distance < fewest && distance < std::max<std::size_t>(candidate.size(), 1)) {
      fewest = distance;
      best = candidate;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view word, std::span<const std::string> candidates) {
  const std::string name = nearest(word, candidates);
  return name.empty() ? name : fmt::format(" (did you mean \"{}\"?)", name);
}

std::int64_t parse_integer(std::string_view text, std::string_view what) {
  std::int64_t value = 0;
  if (!parse_whole(text, value)) {
    throw UsageError("{} is \"{}\": it takes a whole number", what, text);
  }
  return value;
}

double parse_number(std::string_view text, std::string_view what) {
  double value = 0;
  if (!parse_whole(text, value) || !std::isfinite(value)) {
    throw UsageError("{} is \"{}\": it takes a finite number", what, text);
  }
  return value;
}

std::string human_bytes(std::uint64_t bytes) {
  if (bytes < 1024) return fmt::format("{} B", bytes);
  constexpr std::array<const char*, 6> kUnits = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double value = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  // 1023.95 and above would print as "1024.0".
  while (value >= 1023.95 && unit + 1 < kUnits.size()) {
    value /= 1024;
    ++unit;
  }
  return fmt::format("{:.1f} {}", value, kUnits[unit]);
}

std::string human_duration(double seconds) {
  if (!std::isfinite(seconds)) return "unknown";
  if (seconds < 0) return fmt::format("-{}", human_duration(-seconds));
  if (seconds < 0.9995) return fmt::format("{:.3g} ms", seconds * 1e3);
  if (seconds < 59.95) return fmt::format("{:.1f} s", seconds);
  constexpr std::int64_t kDay = 86400;
  const auto whole = static_cast<std::int64_t>(std::llround(std::min(seconds, 1e15)));
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  if (whole < kDay) return fmt::format("{} h {:02} min", whole / 3600, whole % 3600 / 60);
  return fmt::format("{} d {:02} h", whole / kDay, whole % kDay / 3600);
}

std::size_t invalid_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t bytes = decode(text.substr(at)).bytes;
    if (bytes == 0) return at;
    at += bytes;
  }
  return std::string_view::npos;
}

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = decode(text.substr(at));
    width += point.bytes == 0 ? 1 : columns(point.value);
    at += std::max<std::size_t>(point.bytes, 1);
  }
  return width;
}

std::string pad_right(std::string_view text, std::size_t width) {
  std::string padded(text);
  const std::size_t used = display_width(text);
  if (used < width) padded.append(width - used, ' ');
  return padded;
}

std::string pad_left(std::string_view text, std::size_t width) {
  const std::size_t used = display_width(text);
  std::string padded(used < width ? width - used : 0, ' ');
  return padded.append(text);
}

std::string shorten(std::string_view text, std::size_t width) {
  if (display_width(text) <= width) return std::string(text);
  if (width == 0) return {};
  std::size_t used = 0;
  std::size_t at = 0;
  while (at < text.size()) {
    const CodePoint point = decode(text.substr(at));
    const std::size_t wide = point.bytes == 0 ? 1 : columns(point.value);
    if (used + wide > width - 1) break;
    used += wide;
    at += std::max<std::size_t>(point.bytes, 1);
  }
  return std::string(text.substr(0, at)) + "…";
}

}  // namespace heed
