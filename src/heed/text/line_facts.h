// SPDX-License-Identifier: Apache-2.0
// What one look at a line tells: its words and characters, and whether it is text at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace heed::text {

struct LineFacts {
  std::uint64_t words = 0;                   // between white space
  std::uint64_t characters = 0;              // code points
  std::size_t bad = std::string_view::npos;  // the first byte that is not UTF-8
  bool control = false;   // a control character that is no white space, NUL among them
  bool replaced = false;  // U+FFFD, which a conversion leaves where it failed
};

// Of any bytes, in one pass.
LineFacts facts_of(std::string_view line);

}  // namespace heed::text
