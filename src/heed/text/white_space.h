// SPDX-License-Identifier: Apache-2.0
// White space makes words: which word of a line a piece of it belongs to.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace heed::text {

struct ByteSpan {
  std::size_t begin = 0;
  std::size_t end = 0;
};

// What white space separates. The views point into the line, which must be UTF-8.
std::vector<std::string_view> words_of(std::string_view line);

// For each span of the line, the word it belongs to, counted from 0: that of its first character
// that is not white space; the next word for white space alone; the word before for nothing at all.
std::vector<int> words_at(std::string_view line, std::span<const ByteSpan> spans);

// Words with one space between them and none around.
std::string squeezed(std::string_view line);

// The line with a space for each mark.
std::string spaced(std::string_view line, std::string_view mark);

}  // namespace heed::text
