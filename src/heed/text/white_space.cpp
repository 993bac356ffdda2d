// SPDX-License-Identifier: Apache-2.0
// White space makes words: one pass over a line, then a lookup per span.
#include "heed/text/white_space.h"

#include <algorithm>

#include "heed/text/unicode.h"

namespace heed::text {

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
