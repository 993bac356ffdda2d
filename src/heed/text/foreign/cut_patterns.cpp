// SPDX-License-Identifier: Apache-2.0
// The alternatives of the patterns, each with what backtracking would give.
#include "heed/text/foreign/cut_patterns.h"

#include <array>
#include <utility>

#include "heed/text/unicode.h"

namespace heed::text {
namespace {

struct Character {
  char32_t code = 0;
  std::size_t end = 0;
  CharacterClasses is{};

  bool ends_line() const { return code == '\r' || code == '\n'; }
  bool symbol() const { return !is.space && !is.letter && !is.number; }
  // May lead letters: no letter, number or end of line.
  bool leads() const { return !is.letter && !is.number && !ends_line(); }
  // Capitals with what has no case, and small letters with the same.
  bool capital() const { return is.mark || (is.letter && !is.lower); }
  bool small() const { return is.mark || (is.letter && !is.upper); }
};

class Matcher {
 public:
  Matcher(const CutPattern& pattern, std::string_view text, std::size_t at)
      : pattern_(pattern), text_(text), begin_(at) {}

  std::size_t match() const {
    const std::array<std::size_t, 5> alternatives = {contraction(), words(), numbers(), symbols(),
                                                     spaces()};
    for (const std::size_t end : alternatives) {
      if (end > begin_) return end;
    }
    return at(begin_)->end;
  }

 private:
  std::optional<Character> at(std::size_t place) const {
    if (place >= text_.size()) return std::nullopt;
    Character found{.end = place};
    found.code = next_code_point(text_, found.end);
    found.is = classes_of(found.code);
    return found;
  }
  // The end of the longest run of characters for which `holds` is true, at most so many.
  template <typename Holds>
  std::size_t run(std::size_t place, const Holds& holds, int most = 0) const {
    int count = 0;
    for (std::optional<Character> next;
         (most == 0 || count < most) && (next = at(place)) && holds(*next); ++count) {
      place = next->end;
    }
    return place;
  }
  std::size_t past_space() const {
    return begin_ < text_.size() && text_[begin_] == ' ' ? begin_ + 1 : begin_;
  }
  // 0 where the run is empty.
  static std::size_t some(std::size_t begin, std::size_t end) { return end > begin ? end : 0; }

  std::size_t contraction() const {
    if (pattern_.contractions == CutPattern::Contractions::none || text_[begin_] != '\'') return 0;
    static constexpr std::array<std::string_view, 7> kEnds = {"s", "t", "re", "ve", "m", "ll", "d"};
    for (const std::string_view ending : kEnds) {
      std::size_t place = begin_ + 1;
      bool same = true;
      for (const char letter : ending) {
        const std::optional<Character> next = at(place);
        same = same && next && is_letter(next->code, letter);
        if (!same) break;
        place = next->end;
      }
      if (same) return place;
    }
    return 0;
  }
  bool is_letter(char32_t code, char letter) const {
    if (code == static_cast<char32_t>(letter)) return true;
    if (pattern_.contractions != CutPattern::Contractions::any_case) return false;
    constexpr char32_t kLongS = 0x17F;  // whose capital is S
    return code == static_cast<char32_t>(letter - 'a' + 'A') || (letter == 's' && code == kLongS);
  }

  std::size_t words() const {
    const auto letter = [](const Character& c) { return c.is.letter; };
    if (pattern_.words == CutPattern::Words::spaced) {
      const std::size_t begin = past_space();
      return some(begin, run(begin, letter));
    }
    const std::optional<Character> first = at(begin_);
    const std::size_t led = first->leads() ? first->end : begin_;
    if (pattern_.words == CutPattern::Words::led) return some(led, run(led, letter));
    for (const bool ends_small : {true, false}) {
      if (const std::size_t end = cased(led, ends_small)) return end;
      // A mark may lead, and be a letter's as well.
      if (const std::size_t end = led > begin_ ? cased(begin_, ends_small) : 0) return end;
    }
    return 0;
  }
  // capital* small+, or capital+ small*: what has no case is both, so that a run of capitals gives
  // characters back until a small one follows.
  std::size_t cased(std::size_t begin, bool ends_small) const {
    const auto capital = [](const Character& c) { return c.capital(); };
    const auto small = [](const Character& c) { return c.small(); };
    const std::size_t capitals = run(begin, capital);
    if (!ends_small) return some(begin, capitals);
    if (const std::size_t end = some(capitals, run(capitals, small))) return end;
    std::size_t last = 0;
    for (std::size_t place = begin; place < capitals;) {
      const std::optional<Character> next = at(place);
      if (next->small()) last = next->end;
      place = next->end;
    }
    return last;
  }

  std::size_t numbers() const {
    const auto number = [](const Character& c) { return c.is.number; };
    const std::size_t begin = pattern_.digits == 0 ? past_space() : begin_;
    return some(begin, run(begin, number, pattern_.digits));
  }

  std::size_t symbols() const {
    const std::size_t begin = past_space();
    const std::size_t end = run(begin, [](const Character& c) { return c.symbol(); });
    if (end == begin || !pattern_.line_ends) return some(begin, end);
    return run(end, [&](const Character& c) {
      return c.ends_line() || (pattern_.slashes_too && c.code == '/');
    });
  }

  // Spaces up to the last end of line among them; else all but the last, which goes with what
  // follows.
  std::size_t spaces() const {
    std::size_t line_end = 0;
    std::size_t before_last = begin_;
    std::size_t end = begin_;
    for (std::optional<Character> next; (next = at(end)) && next->is.space;) {
      before_last = end;
      end = next->end;
      if (next->ends_line()) line_end = end;
    }
    if (pattern_.line_ends && line_end > 0) return line_end;
    const bool last_goes = end < text_.size() && before_last > begin_;
    return some(begin_, last_goes ? before_last : end);
  }

  const CutPattern& pattern_;
  std::string_view text_;
  std::size_t begin_;
};

}  // namespace

std::size_t CutPattern::end(std::string_view text, std::size_t at) const {
  return Matcher(*this, text, at).match();
}

std::optional<CutPattern> known_pattern(std::string_view regular_expression) {
  using Contractions = CutPattern::Contractions;
  using Words = CutPattern::Words;
  static const std::array<std::pair<std::string_view, CutPattern>, 4> kKnown = {{
      // GPT-2.
      {R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)", kGpt2Cuts},
      // LLaMA 3.
      {R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)",
       {Contractions::any_case, Words::led, 3, true, false}},
      // Qwen 2.
      {R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)",
       {Contractions::any_case, Words::led, 1, true, false}},
      // Mistral Nemo.
      {R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)",
       {Contractions::none, Words::cased, 1, true, true}},
  }};
  for (const auto& [written, pattern] : kKnown) {
    if (written == regular_expression) return pattern;
  }
  return std::nullopt;
}

}  // namespace heed::text
