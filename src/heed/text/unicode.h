// SPDX-License-Identifier: Apache-2.0
// Unicode as tokenisers need it: code points and what they are, composed and lower-case forms.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace heed::text {

// Letters take in marks and everything else that is neither of the other three.
enum class CharacterKind { space, letter, digit, symbol };
CharacterKind kind_of(char32_t character);

// What punctuation does to the space around it when written.
enum class Bracket { none, opening, closing };
Bracket bracket_of(char32_t character);  // quotation marks with a direction are brackets too
bool is_currency(char32_t character);
// Letters (L*), numbers (N*), punctuation (P*), marks (M*), other (C*), of Unicode's own classes;
// upper case takes title case in, and letters without case are letters alone.
struct CharacterClasses {
  bool letter = false, number = false, punctuation = false, mark = false, other = false;
  bool space = false;      // the property White_Space
  bool upper = false;      // Lu, Lt
  bool lower = false;      // Ll
  bool combining = false;  // Mn
};
CharacterClasses classes_of(char32_t character);
// Nothing to see on its own: controls, formats, separators.
bool is_invisible(char32_t character);

// The code point at `at`, which moves past it. The text must be UTF-8 and longer than `at`.
char32_t next_code_point(std::string_view text, std::size_t& at);
void append_utf8(std::string& text, char32_t character);
// Where the grapheme cluster that begins at `at` ends: an accent, a skin tone or a joined emoji
// belongs to the character before it.
std::size_t cluster_end(std::string_view text, std::size_t at);

// Unicode's normalisation forms: characters composed or decomposed, with K also those that only
// look different made one.
enum class NormalForm { c, d, kc, kd };
std::string in_form(NormalForm form, std::string_view text);
// Form C: an accented letter is one code point wherever Unicode has one.
inline std::string composed(std::string_view text) {
  return in_form(NormalForm::c, text);
}
// By Unicode's simple mapping, one code point for one.
std::string lower_cased(std::string_view text);

// DataError unless text is UTF-8.
void require_utf8(std::string_view text);

}  // namespace heed::text
