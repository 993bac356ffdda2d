// SPDX-License-Identifier: Apache-2.0
// Cutting UTF-8 into code points, by their first bytes.
#include "heed/metrics/characters.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>

namespace heed::metrics {
namespace {

struct CodePoint {
  utf8proc_int32_t value = -1;  // -1: not UTF-8
  std::size_t bytes = 1;
};

CodePoint first_of(std::string_view text) {
  const auto* const bytes = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
  if (bytes[0] < 0x80) return {bytes[0], 1};
  CodePoint point;
  const auto size = static_cast<utf8proc_ssize_t>(text.size());
  const utf8proc_ssize_t used = utf8proc_iterate(bytes, size, &point.value);
  if (used > 0) point.bytes = static_cast<std::size_t>(used);
  return point;
}

}  // namespace

std::vector<std::string_view> characters(std::string_view text) {
  std::vector<std::string_view> found;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t bytes = first_of(text.substr(at)).bytes;
    found.push_back(text.substr(at, bytes));
    at += bytes;
  }
  return found;
}

bool is_space(std::string_view character) {
  if (character.empty()) return false;
  const utf8proc_int32_t c = first_of(character).value;
  if (c < 0x80) return c == ' ' || (c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x1F);
  constexpr std::array kOthers = {0x85, 0xA0, 0x1680, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000};
  return (c >= 0x2000 && c <= 0x200A) || std::ranges::count(kOthers, c) > 0;
}

std::vector<std::string_view> words(std::string_view text) {
  std::vector<std::string_view> found;
  std::size_t begin = 0;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t bytes = first_of(text.substr(at)).bytes;
    if (is_space(text.substr(at, bytes))) {
      if (at > begin) found.push_back(text.substr(begin, at - begin));
      begin = at + bytes;
    }
    at += bytes;
  }
  if (at > begin) found.push_back(text.substr(begin));
  return found;
}

std::string lower_case(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = first_of(text.substr(at));
    if (point.value < 0) {
      result += text[at];
    } else {
      std::array<utf8proc_uint8_t, 4> bytes{};
      const auto size = utf8proc_encode_char(utf8proc_tolower(point.value), bytes.data());
      result.append(reinterpret_cast<const char*>(bytes.data()), static_cast<std::size_t>(size));
    }
    at += point.bytes;
  }
  return result;
}

}  // namespace heed::metrics
