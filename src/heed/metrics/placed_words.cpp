// SPDX-License-Identifier: Apache-2.0
// Words compared one by one with what is in their place.
#include "heed/metrics/placed_words.h"

#include <charconv>

#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/text/unicode.h"
#include "heed/text/white_space.h"

namespace heed::metrics {
namespace {

bool read_number(std::string_view text, std::uint64_t& number) {
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stop == end;
}

}  // namespace

PlacedWord parse_placed_word(std::string_view line, const std::string& where) {
  const std::vector<std::string_view> fields = split(line, '\t');
  PlacedWord found;
  if (fields.size() != 3 || !read_number(fields[0], found.line) ||
      !read_number(fields[1], found.word) || found.line == 0 || fields[2].empty()) {
    throw DataError(
        "{}: \"{}\"; each line must be LINE<TAB>WORD<TAB>FORM, lines from 1, words from 0", where,
        shorten(line, 40));
  }
  found.form = fields[2];
  return found;
}

double placed_words_right(std::span<const std::string> hypotheses,
                          std::span<const PlacedWord> words) {
  std::size_t right = 0;
  for (const PlacedWord& word : words) {
    if (word.line > hypotheses.size()) {
      throw DataError("\"{}\" should be in line {}, and there are {} lines", word.form, word.line,
                      hypotheses.size());
    }
    const auto written = text::words_of(hypotheses[word.line - 1]);
    right += word.word < written.size() &&
             text::lower_cased(written[word.word]) == text::lower_cased(word.form);
  }
  return words.empty() ? 0 : static_cast<double>(right) / static_cast<double>(words.size());
}

}  // namespace heed::metrics
