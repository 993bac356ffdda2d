// SPDX-License-Identifier: Apache-2.0
// Words that must be at given places of a translation, such as pronouns whose form another
// sentence decides.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#pragma GCC visibility push(default)  // exported

namespace heed::metrics {

// One line of a file of them: LINE<TAB>WORD<TAB>FORM.
struct PlacedWord {
  std::uint64_t line = 0;  // of the text, from 1
  std::uint64_t word = 0;  // what white space separates, from 0
  std::string form{};      // the right one

  bool operator==(const PlacedWord&) const = default;
};

// `where` names the file and line in the DataError for anything else.
PlacedWord parse_placed_word(std::string_view line, const std::string& where);

// The share of the words that are in their place, capitals or not, from 0 to 1. DataError naming
// the first word whose line the hypotheses do not have.
double placed_words_right(std::span<const std::string> hypotheses,
                          std::span<const PlacedWord> words);

}  // namespace heed::metrics

#pragma GCC visibility pop
