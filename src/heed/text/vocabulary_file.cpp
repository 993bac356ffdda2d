// SPDX-License-Identifier: Apache-2.0
// The file of a vocabulary: written to be readable, read without trust.
#include <fmt/format.h>

#include <charconv>
#include <limits>
#include <utility>

#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/text/unicode.h"
#include "heed/text/vocabulary.h"

namespace heed::text {
namespace {

constexpr std::string_view kMagic = "heed-vocabulary ";
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

std::string escaped(std::string_view piece) {
  std::string result;
  for (std::size_t at = 0; at < piece.size();) {
    const std::size_t begin = at;
    const char32_t character = next_code_point(piece, at);
    if (character == U'\\') {
      result += "\\\\";
    } else if (is_invisible(character)) {
      result += fmt::format("\\u{{{:x}}}", static_cast<std::uint32_t>(character));
    } else {
      result += piece.substr(begin, at - begin);
    }
  }
  return result;
}

// Where a message points to.
struct Place {
  const std::string& name;
  std::size_t line;

  [[noreturn]] void fail(const std::string& what) const {
    throw DataError("{}:{}: {}", name, line, what);
  }
};

// The character of an escape; `rest` begins after the backslash and is moved after the escape.
char32_t unescape(std::string_view& rest, const Place& place) {
  if (rest.starts_with('\\')) {
    rest.remove_prefix(1);
    return U'\\';
  }
  const std::size_t close = rest.find('}');
  std::uint32_t number = 0;
  if (rest.starts_with("u{") && close != std::string_view::npos) {
    const char* end = rest.data() + close;
    const auto [stop, error] = std::from_chars(rest.data() + 2, end, number, 16);
    const bool surrogate = number >= 0xD800 && number <= 0xDFFF;
    if (error == std::errc() && stop == end && number > 0 && number <= 0x10FFFF && !surrogate) {
      rest.remove_prefix(close + 1);
      return number;
    }
  }
  place.fail("a backslash is followed by neither another one nor a u{...} that names a character");
}

std::string unescaped(std::string_view text, const Place& place) {
  std::string result;
  while (!text.empty()) {
    const std::size_t slash = text.find('\\');
    result += text.substr(0, slash);
    if (slash == std::string_view::npos) break;
    text.remove_prefix(slash + 1);
    append_utf8(result, unescape(text, place));
  }
  return result;
}

VocabularyFile parse_header(std::string_view line, const Place& place) {
  VocabularyFile file;
  const std::string rest(line.substr(kMagic.size()));
  if (!rest.starts_with("1 ")) {
    place.fail(
        "this vocabulary has a form that a newer version of Heed may know; this one knows "
        "form 1");
  }
  for (const std::string_view option : split(std::string_view(rest).substr(2), ' ')) {
    if (option == "kind=words") {
      file.kind = TokeniserKind::words;
    } else if (option == "kind=characters") {
      file.kind = TokeniserKind::characters;
    } else if (option == "kind=spaced") {
      file.kind = TokeniserKind::spaced;
    } else if (option == "kind=bytes") {
      file.kind = TokeniserKind::bytes;
    } else if (option == "spaces=kept") {
      file.spaces = Spaces::kept;
    } else if (option == "lower_case=yes" || option == "lower_case=no") {
      file.lower_case = option == "lower_case=yes";
    } else {
      place.fail(
          fmt::format("the first line has \"{}\"; it takes kind=words, kind=characters, "
                      "kind=spaced or kind=bytes, lower_case=yes or lower_case=no, and spaces=kept",
                      option));
    }
  }
  return file;
}

std::int64_t parse_count(std::string_view text, const Place& place) {
  std::int64_t count = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, count);
  if (error != std::errc() || stop != end || count < 0) {
    place.fail(fmt::format("the count is \"{}\", and a whole number is needed", text));
  }
  return count;
}

bool has_space(std::string_view piece) {
  for (std::size_t at = 0; at < piece.size();) {
    if (kind_of(next_code_point(piece, at)) == CharacterKind::space) return true;
  }
  return false;
}

}  // namespace

bool is_vocabulary_file(std::string_view bytes) {
  if (bytes.starts_with(kByteOrderMark)) bytes.remove_prefix(kByteOrderMark.size());
  return bytes.starts_with(kMagic);
}

std::string format_vocabulary(const VocabularyFile& file) {
  std::string text = fmt::format("{}1 kind={} lower_case={}{}\n", kMagic, name_of(file.kind),
                                 file.lower_case ? "yes" : "no",
                                 file.spaces == Spaces::kept ? " spaces=kept" : "");
  for (const Vocabulary::Entry& entry : file.vocabulary.entries()) {
    text += fmt::format("{}\t{}\n", escaped(entry.piece), entry.count);
  }
  return text;
}

VocabularyFile parse_vocabulary(std::string_view bytes, const std::string& name) {
  if (bytes.starts_with(kByteOrderMark)) bytes.remove_prefix(kByteOrderMark.size());
  if (!is_vocabulary_file(bytes)) Place{name, 1}.fail("is not a vocabulary of Heed");
  if (bytes.ends_with('\n')) bytes.remove_suffix(1);
  VocabularyFile file;
  std::size_t number = 0;
  for (std::string_view line : split(bytes, '\n')) {
    const Place place{name, ++number};
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (invalid_utf8(line) != std::string_view::npos) place.fail("is not UTF-8");
    if (number == 1) {
      file = parse_header(line, place);
      continue;
    }
    const std::size_t tab = line.find('\t');
    const std::string piece = unescaped(line.substr(0, tab), place);
    if (piece.empty()) place.fail("there is no piece; remove the line");
    if (piece.find('\0') != std::string::npos) place.fail("the piece holds NUL");
    if (file.spaces == Spaces::squeezed && has_space(piece)) {
      place.fail("the piece holds white space; a space of its own is written \u2581");
    }
    const bool counted = tab != std::string_view::npos;
    const std::int64_t count = counted ? parse_count(line.substr(tab + 1), place) : 0;
    if (file.vocabulary.size() == std::numeric_limits<Token>::max()) place.fail("too many pieces");
    if (!file.vocabulary.add(piece, count)) {
      place.fail(
          fmt::format("\"{}\" is there already or is a special piece; remove the line", piece));
    }
  }
  if (file.vocabulary.entries().empty()) Place{name, number}.fail("there is no piece at all");
  return file;
}

}  // namespace heed::text
