// SPDX-License-Identifier: Apache-2.0
// Where byte-level vocabularies cut a text before they merge: the patterns of the families that
// Heed knows, matched by hand. A pattern in a file is compared with these; no regular expression of
// a foreign file is ever run.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace heed::text {

// What a pattern's alternatives take, in their order. L is a letter, N a number.
struct CutPattern {
  enum class Contractions { none, as_written, any_case };
  enum class Words {
    spaced,  // a space and letters
    led,     // anything that is no letter, number or end of line, and letters
    cased,   // likewise, in runs of capitals, then small letters
  };
  Contractions contractions = Contractions::as_written;
  Words words = Words::spaced;
  int digits = 0;            // of one number; 0: a space and all of them
  bool line_ends = false;    // ends of lines go with what is before them
  bool slashes_too = false;  // and so do slashes after symbols

  // Where the piece that begins at `at` ends. The text is UTF-8 and longer than `at`.
  std::size_t end(std::string_view text, std::size_t at) const;
};

// GPT-2's own pattern, which RoBERTa and others have.
inline constexpr CutPattern kGpt2Cuts{};
// The pattern that is written like this, where Heed knows it.
std::optional<CutPattern> known_pattern(std::string_view regular_expression);

}  // namespace heed::text
