// SPDX-License-Identifier: Apache-2.0
// Unicode by utf8proc, which needs no locale.
#include "heed/text/unicode.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>

#include "heed/base/error.h"
#include "heed/base/text.h"

namespace heed::text {
namespace {

const utf8proc_uint8_t* bytes_of(std::string_view text) {
  return reinterpret_cast<const utf8proc_uint8_t*>(text.data());
}

bool is_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

utf8proc_category_t category_of(char32_t character) {
  return utf8proc_category(static_cast<utf8proc_int32_t>(character));
}

CharacterKind kind_by_category(char32_t character) {
  switch (category_of(character)) {
    case UTF8PROC_CATEGORY_ZS:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP:
      return CharacterKind::space;
    case UTF8PROC_CATEGORY_CC:
      // Tab to carriage return, and "next line": the controls that have the property White_Space.
      return (character >= 9 && character <= 13) || character == 0x85 ? CharacterKind::space
                                                                      : CharacterKind::letter;
    case UTF8PROC_CATEGORY_ND:
      return CharacterKind::digit;
    case UTF8PROC_CATEGORY_PC:
    case UTF8PROC_CATEGORY_PD:
    case UTF8PROC_CATEGORY_PS:
    case UTF8PROC_CATEGORY_PE:
    case UTF8PROC_CATEGORY_PI:
    case UTF8PROC_CATEGORY_PF:
    case UTF8PROC_CATEGORY_PO:
    case UTF8PROC_CATEGORY_SM:
    case UTF8PROC_CATEGORY_SC:
    case UTF8PROC_CATEGORY_SK:
    case UTF8PROC_CATEGORY_SO:
      return CharacterKind::symbol;
    default:
      return CharacterKind::letter;
  }
}

// Most text is ASCII: a table spares it the way through the categories.
const std::array<CharacterKind, 128> kAscii = [] {
  std::array<CharacterKind, 128> kinds{};
  for (char32_t character = 0; character < kinds.size(); ++character) {
    kinds[character] = kind_by_category(character);
  }
  return kinds;
}();

}  // namespace

CharacterKind kind_of(char32_t character) {
  if (character < kAscii.size()) return kAscii[character];
  return kind_by_category(character);
}

Bracket bracket_of(char32_t character) {
  switch (category_of(character)) {
    case UTF8PROC_CATEGORY_PS:
    case UTF8PROC_CATEGORY_PI:
      return Bracket::opening;
    case UTF8PROC_CATEGORY_PE:
    case UTF8PROC_CATEGORY_PF:
      return Bracket::closing;
    default:
      return Bracket::none;
  }
}

bool is_currency(char32_t character) {
  return category_of(character) == UTF8PROC_CATEGORY_SC;
}

CharacterClasses classes_of(char32_t character) {
  const auto category = category_of(character);
  const auto within = [category](utf8proc_category_t first, utf8proc_category_t last) {
    return category >= first && category <= last;
  };
  return {.letter = within(UTF8PROC_CATEGORY_LU, UTF8PROC_CATEGORY_LO),
          .number = within(UTF8PROC_CATEGORY_ND, UTF8PROC_CATEGORY_NO),
          .punctuation = within(UTF8PROC_CATEGORY_PC, UTF8PROC_CATEGORY_PO),
          .mark = within(UTF8PROC_CATEGORY_MN, UTF8PROC_CATEGORY_ME),
          .other = category == UTF8PROC_CATEGORY_CN ||
                   within(UTF8PROC_CATEGORY_CC, UTF8PROC_CATEGORY_CO),
          .space = kind_of(character) == CharacterKind::space,
          .upper = category == UTF8PROC_CATEGORY_LU || category == UTF8PROC_CATEGORY_LT,
          .lower = category == UTF8PROC_CATEGORY_LL,
          .combining = category == UTF8PROC_CATEGORY_MN};
}

bool is_invisible(char32_t character) {
  const utf8proc_category_t category = category_of(character);
  return category == UTF8PROC_CATEGORY_CN || category >= UTF8PROC_CATEGORY_ZS;
}

char32_t next_code_point(std::string_view text, std::size_t& at) {
  const auto first = static_cast<unsigned char>(text[at]);
  if (first < 0x80) {
    ++at;
    return first;
  }
  utf8proc_int32_t character = 0;
  const auto left = static_cast<utf8proc_ssize_t>(text.size() - at);
  const utf8proc_ssize_t used = utf8proc_iterate(bytes_of(text) + at, left, &character);
  if (used <= 0) throw InternalError("next_code_point: byte {} is not UTF-8", at);
  at += static_cast<std::size_t>(used);
  return static_cast<char32_t>(character);
}

void append_utf8(std::string& text, char32_t character) {
  utf8proc_uint8_t bytes[4];
  const auto size = utf8proc_encode_char(static_cast<utf8proc_int32_t>(character), bytes);
  text.append(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size));
}

std::size_t cluster_end(std::string_view text, std::size_t at) {
  utf8proc_int32_t state = 0;
  char32_t before = next_code_point(text, at);
  while (at < text.size()) {
    std::size_t behind = at;
    const char32_t next = next_code_point(text, behind);
    if (utf8proc_grapheme_break_stateful(static_cast<utf8proc_int32_t>(before),
                                         static_cast<utf8proc_int32_t>(next), &state)) {
      break;
    }
    at = behind;
    before = next;
  }
  return at;
}

std::string in_form(NormalForm form, std::string_view text) {
  if (is_ascii(text)) return std::string(text);
  int options = UTF8PROC_STABLE;
  const bool compose = form == NormalForm::c || form == NormalForm::kc;
  options |= compose ? UTF8PROC_COMPOSE : UTF8PROC_DECOMPOSE;
  if (form == NormalForm::kc || form == NormalForm::kd) options |= UTF8PROC_COMPAT;
  utf8proc_uint8_t* result = nullptr;
  const utf8proc_ssize_t size =
      utf8proc_map(bytes_of(text), static_cast<utf8proc_ssize_t>(text.size()), &result,
                   static_cast<utf8proc_option_t>(options));
  const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owner(result, &std::free);
  if (size < 0) throw InternalError("in_form: {}", utf8proc_errmsg(size));
  return {reinterpret_cast<const char*>(result), static_cast<std::size_t>(size)};
}

std::string lower_cased(std::string_view text) {
  if (is_ascii(text)) return lower(text);
  std::string result;
  result.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const auto character = static_cast<utf8proc_int32_t>(next_code_point(text, at));
    append_utf8(result, static_cast<char32_t>(utf8proc_tolower(character)));
  }
  return result;
}

void require_utf8(std::string_view text) {
  const std::size_t bad = invalid_utf8(text);
  if (bad == std::string_view::npos) return;
  throw DataError("a line of text: byte {} (0x{:02X}) is not UTF-8, and a tokeniser needs UTF-8",
                  bad + 1, static_cast<unsigned char>(text[bad]));
}

}  // namespace heed::text
