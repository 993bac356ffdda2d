// SPDX-License-Identifier: Apache-2.0
// Sentences of a line: one pass that remembers what the character before has ended.
#include "heed/text/sentences.h"

#include "heed/text/unicode.h"

namespace heed::text {
namespace {

enum class Ended { no, at_space, anywhere };

Ended end_after(char32_t character, Ended before) {
  switch (character) {
    case U'.':
    case U'!':
    case U'?':
    case U'…':
      return Ended::at_space;
    case U'。':
    case U'！':
    case U'？':
      return Ended::anywhere;
    case U'"':
    case U'\'':
      return before;
    default:
      return bracket_of(character) == Bracket::closing ? before : Ended::no;
  }
}

}  // namespace

std::vector<std::string_view> sentences_of(std::string_view line) {
  std::vector<std::string_view> sentences;
  std::size_t begin = 0;
  std::size_t end = 0;  // after the last character of the open sentence; `begin` when none is open
  Ended ended = Ended::no;
  const auto close = [&] {
    if (end > begin) sentences.push_back(line.substr(begin, end - begin));
    begin = end;
    ended = Ended::no;
  };
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t start = at;
    const char32_t character = next_code_point(line, at);
    if (kind_of(character) == CharacterKind::space) {
      if (ended != Ended::no) close();
      continue;
    }
    const Ended after = end_after(character, ended);
    if (ended == Ended::anywhere && after == Ended::no) close();
    if (end == begin) begin = start;
    end = at;
    ended = after;
  }
  close();
  return sentences;
}

}  // namespace heed::text
