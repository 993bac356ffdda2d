// SPDX-License-Identifier: Apache-2.0
// Messages that point: see caret.h.
#include "heed/attention/written/caret.h"

#include <fmt/format.h>

#include <algorithm>

#include "heed/base/text.h"

namespace heed::attention {
namespace {

constexpr std::size_t kBefore = 48;  // bytes of text shown on either side of the place
constexpr std::size_t kBehind = 24;

bool continues_a_character(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0) == 0x80;
}

// One line of printable text, byte by byte as long as the original.
std::string printable(std::string_view text) {
  std::string shown(text);
  for (char& byte : shown) {
    if (std::string_view(" \t\r\n\f\v").find(byte) != std::string_view::npos) {
      byte = ' ';
    } else if (static_cast<unsigned char>(byte) < 0x20 || byte == 0x7F) {
      byte = '?';
    }
  }
  for (std::size_t bad = 0; (bad = invalid_utf8(shown)) != std::string::npos;) shown[bad] = '?';
  return shown;
}

}  // namespace

std::string with_caret(std::string_view message, std::string_view text, std::size_t place) {
  place = std::min(place, text.size());
  std::size_t begin = place > kBefore ? place - kBefore : 0;
  std::size_t end = text.size() - place > kBehind ? place + kBehind : text.size();
  // Cut between characters; a stray continuation byte is no reason to loop for ever.
  for (int i = 0; i < 3 && begin > 0 && continues_a_character(text[begin]); ++i) --begin;
  for (int i = 0; i < 3 && end < text.size() && continues_a_character(text[end]); ++i) ++end;
  const std::string_view before = begin > 0 ? "… " : "";
  const std::string_view behind = end < text.size() ? " …" : "";
  const std::string shown = printable(text.substr(begin, end - begin));
  const std::size_t column = display_width(before) + display_width(shown.substr(0, place - begin));
  return fmt::format("{}\n  {}{}{}\n  {:>{}}", message, before, shown, behind, "^", column + 1);
}

}  // namespace heed::attention
