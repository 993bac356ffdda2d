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

// The bytes of the white-space character that begins at `at`, 0 where none does. Bytes that are not
// UTF-8 are no white space.
std::size_t space_bytes(std::string_view text, std::size_t at);
// Whether there is nothing but white space; of any bytes.
bool is_blank(std::string_view text);

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
