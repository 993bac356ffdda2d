// SPDX-License-Identifier: Apache-2.0
// The rules of the tokeniser of words: cutting.
#include "heed/text/word_rules.h"

#include "heed/text/unicode.h"

namespace heed::text {
namespace {

struct Character {
  char32_t value;
  CharacterKind kind;
  ByteSpan span;
};

std::vector<Character> characters_of(std::string_view line) {
  std::vector<Character> characters;
  characters.reserve(line.size());
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t begin = at;
    const char32_t value = next_code_point(line, at);
    characters.push_back({value, kind_of(value), {begin, at}});
  }
  return characters;
}

class Cutter {
 public:
  explicit Cutter(std::string_view line) : line_(line), characters_(characters_of(line)) {}

  std::vector<ByteSpan> cut() {
    std::vector<ByteSpan> pieces;
    for (std::size_t at = 0; at < characters_.size();) {
      const std::size_t begin = at;
      if (is(at, CharacterKind::space)) {
        ++at;
        continue;
      }
      if (is_wordlike(at) || is_sign(at)) {
        at = word_end(at);
      } else {
        const std::size_t end = cluster_end(line_, characters_[at].span.begin);
        while (at < characters_.size() && characters_[at].span.begin < end) ++at;
      }
      pieces.push_back({characters_[begin].span.begin, characters_[at - 1].span.end});
    }
    return pieces;
  }

 private:
  bool is(std::size_t at, CharacterKind kind) const {
    return at < characters_.size() && characters_[at].kind == kind;
  }
  bool is_wordlike(std::size_t at) const {
    return is(at, CharacterKind::letter) || is(at, CharacterKind::digit);
  }
  bool is_sign(std::size_t at) const {
    return characters_[at].value == U'-' && is(at + 1, CharacterKind::digit) &&
           (at == 0 || is(at - 1, CharacterKind::space));
  }
  bool is_apostrophe(std::size_t at) const {
    return characters_[at].value == U'\'' || characters_[at].value == U'\u2019';
  }
  // Whether the symbol stays inside a word whose current run of letters began at `run`.
  bool stays(std::size_t at, std::size_t run) const {
    const char32_t value = characters_[at].value;
    const bool in_number = is(at - 1, CharacterKind::digit) && is(at + 1, CharacterKind::digit);
    if (in_number) return value == U'.' || value == U',' || value == U':';
    return value == U'.' && at == run + 1 && is(run, CharacterKind::letter) &&
           is(at + 1, CharacterKind::letter);
  }

  std::size_t word_end(std::size_t at) const {
    std::size_t run = at;
    for (++at; at < characters_.size(); ++at) {
      if (is_wordlike(at)) continue;
      if (is_apostrophe(at) && is_wordlike(at - 1) && is_wordlike(at + 1)) return at + 1;
      if (!stays(at, run)) return at;
      run = at + 1;
    }
    return at;
  }

  std::string_view line_;
  std::vector<Character> characters_;
};

}  // namespace

std::vector<ByteSpan> cut_words(std::string_view line) {
  return Cutter(line).cut();
}

}  // namespace heed::text
