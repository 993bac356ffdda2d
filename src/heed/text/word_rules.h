// SPDX-License-Identifier: Apache-2.0
// The rules of the tokeniser of words: how a line is cut into pieces, and how pieces become a line
// again.
//
// Cutting. White space separates. Letters and digits stay together; every other character is a
// piece of its own (an emoji with all that belongs to it), except:
//   . , : between digits stay inside                      3.14   1,000   12:30
//   - before a digit, after white space, is its sign      -5
//   . between letters that are alone stays inside       U.S   e.g
//   an apostrophe between letters ends its left piece     l' homme   don' t
//
// Joining. A space goes between two pieces, except
//   before . , ; : ! ? … % ‰, closing brackets and quotes;
//   after opening brackets and quotes, ¿ ¡ # @, and a piece that ends with an apostrophe;
//   on both sides of - ‐ / _ ° and of the wide 。，、！？；：;
//   between a currency sign and the number after it, unless a number is before it;
//   straight quotes " and ' open and close in turn; “ closes what „ has opened.
// So ordinary sentences come back as they were. "well - known", "« mot »" and "example.com" do not.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/text/white_space.h"

namespace heed::text {

// The pieces of a line, which must be UTF-8.
std::vector<ByteSpan> cut_words(std::string_view line);

struct JoinedWords {
  std::string text;
  std::vector<ByteSpan> spans;  // of each piece in the text
};
JoinedWords join_words(std::span<const std::string_view> pieces);

}  // namespace heed::text
