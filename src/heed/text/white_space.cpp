// SPDX-License-Identifier: Apache-2.0
// White space makes words: one pass over a line, then a lookup per span.
#include "heed/text/white_space.h"

#include <algorithm>

#include "heed/text/unicode.h"

namespace heed::text {

// Unicode's White_Space in UTF-8: U+0085, U+00A0, U+1680, U+2000 to U+200A, U+2028, U+2029, U+202F,
// U+205F, U+3000 and those of ASCII.
std::size_t space_bytes(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t ahead) {
    return at + ahead < text.size() ? static_cast<unsigned char>(text[at + ahead]) : 0;
  };
  const int first = byte(0);
  if (first < 0x80)
    return at < text.size() && (first == ' ' || (first >= 9 && first <= 13)) ? 1 : 0;
  if (first == 0xC2) return byte(1) == 0x85 || byte(1) == 0xA0 ? 2 : 0;
  if (first == 0xE1) return byte(1) == 0x9A && byte(2) == 0x80 ? 3 : 0;
  if (first == 0xE3) return byte(1) == 0x80 && byte(2) == 0x80 ? 3 : 0;
  if (first != 0xE2) return 0;
  const int last = byte(2);
  if (byte(1) == 0x81) return last == 0x9F ? 3 : 0;
  if (byte(1) != 0x80) return 0;
  return (last >= 0x80 && last <= 0x8A) || last == 0xA8 || last == 0xA9 || last == 0xAF ? 3 : 0;
}

bool is_blank(std::string_view text) {
  std::size_t at = 0;
  while (const std::size_t bytes = space_bytes(text, at)) at += bytes;
  return at == text.size();
}

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  std::size_t begin = 0;
  const auto close = [&](std::size_t end) {
    if (end > begin) words.push_back(line.substr(begin, end - begin));
  };
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t start = at;
    if (kind_of(next_code_point(line, at)) != CharacterKind::space) continue;
    close(start);
    begin = at;
  }
  close(line.size());
  return words;
}

std::vector<int> words_at(std::string_view line, std::span<const ByteSpan> spans) {
  // begun[i]: the words that have begun before byte i; blank[i]: byte i is white space.
  std::vector<int> begun(line.size() + 1, 0);
  std::vector<char> blank(line.size(), 0);
  int words = 0;
  bool inside = false;
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t start = at;
    const bool space = kind_of(next_code_point(line, at)) == CharacterKind::space;
    if (!space && !inside) ++words;
    inside = !space;
    for (std::size_t byte = start; byte < at; ++byte) {
      blank[byte] = static_cast<char>(space);
      begun[byte + 1] = words;
    }
  }
  std::vector<int> result;
  result.reserve(spans.size());
  for (const ByteSpan& span : spans) {
    std::size_t at = span.begin;
    while (at < span.end && blank[at] != 0) ++at;
    int word = begun[span.end];  // of white space: the next
    if (at < span.end) {
      word = begun[at + 1] - 1;
    } else if (span.begin == span.end) {
      word = begun[span.begin] - 1;
    }
    result.push_back(std::clamp(word, 0, std::max(words - 1, 0)));
  }
  return result;
}

std::string squeezed(std::string_view line) {
  std::string result;
  result.reserve(line.size());
  for (const std::string_view word : words_of(line)) {
    if (!result.empty()) result += ' ';
    result += word;
  }
  return result;
}

std::string spaced(std::string_view line, std::string_view mark) {
  std::string result;
  result.reserve(line.size());
  for (std::size_t at = line.find(mark); at != line.npos; at = line.find(mark)) {
    result.append(line.substr(0, at)).push_back(' ');
    line.remove_prefix(at + mark.size());
  }
  result.append(line);
  return result;
}

}  // namespace heed::text
