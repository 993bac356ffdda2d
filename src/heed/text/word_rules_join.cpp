// SPDX-License-Identifier: Apache-2.0
// The rules of the tokeniser of words: joining.
#include "heed/text/unicode.h"
#include "heed/text/word_rules.h"

namespace heed::text {
namespace {

// Which of its neighbours a piece clings to.
enum class Cling { none, left, right, both };

constexpr std::u32string_view kCloseToLeft = U".,;:!?…%‰";
constexpr std::u32string_view kCloseToRight = U"¿¡#@";
constexpr std::u32string_view kCloseToBoth = U"-\u2010\u2011/_°。，、！？；：";

// The only character of a piece, or 0.
char32_t only_character(std::string_view piece) {
  std::size_t at = 0;
  const char32_t character = piece.empty() ? 0 : next_code_point(piece, at);
  return at == piece.size() ? character : 0;
}

bool begins_with_digit(std::string_view piece) {
  std::size_t at = 0;
  return !piece.empty() && kind_of(next_code_point(piece, at)) == CharacterKind::digit;
}

class Joiner {
 public:
  Cling cling_of(std::string_view before, std::string_view piece, std::string_view behind) {
    const char32_t character = only_character(piece);
    if (character == 0) {
      const bool elided = piece.ends_with('\'') || piece.ends_with("\u2019");
      return elided ? Cling::right : Cling::none;
    }
    if (character == U'"') return in_turn(double_open_);
    if (character == U'\'') return in_turn(single_open_);
    if (character == U'„') low_open_ = true;
    if (character == U'“' && low_open_) {
      low_open_ = false;
      return Cling::left;
    }
    if (kCloseToLeft.find(character) != kCloseToLeft.npos) return Cling::left;
    if (kCloseToRight.find(character) != kCloseToRight.npos) return Cling::right;
    if (kCloseToBoth.find(character) != kCloseToBoth.npos) return Cling::both;
    if (is_currency(character)) {
      return begins_with_digit(behind) && !begins_with_digit(before) ? Cling::right : Cling::none;
    }
    switch (bracket_of(character)) {
      case Bracket::opening:
        return Cling::right;
      case Bracket::closing:
        return Cling::left;
      case Bracket::none:
        break;
    }
    return Cling::none;
  }

 private:
  static Cling in_turn(bool& open) {
    open = !open;
    return open ? Cling::right : Cling::left;
  }

  bool double_open_ = false;
  bool single_open_ = false;
  bool low_open_ = false;
};

}  // namespace

JoinedWords join_words(std::span<const std::string_view> pieces) {
  JoinedWords result;
  Joiner joiner;
  Cling before = Cling::right;  // no space at the beginning
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const Cling cling = joiner.cling_of(i > 0 ? pieces[i - 1] : std::string_view(), pieces[i],
                                        i + 1 < pieces.size() ? pieces[i + 1] : std::string_view());
    const bool close = before == Cling::right || before == Cling::both || cling == Cling::left ||
                       cling == Cling::both;
    if (!close && !result.text.empty()) result.text += ' ';
    const std::size_t begin = result.text.size();
    result.text += pieces[i];
    result.spans.push_back({begin, result.text.size()});
    before = cling;
  }
  return result;
}

}  // namespace heed::text
