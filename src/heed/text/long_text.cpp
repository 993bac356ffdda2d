// SPDX-License-Identifier: Apache-2.0
// Lines to tokens, one after the other.
#include "heed/text/long_text.h"

#include <algorithm>
#include <cmath>

#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/text/lines.h"

namespace heed::text {
namespace {

std::uint64_t code_points(std::string_view text) {
  return static_cast<std::uint64_t>(std::ranges::count_if(
      text, [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0) != 0x80; }));
}

void append(LongText& text, const Tokens& tokens) {
  text.tokens.insert(text.tokens.end(), tokens.begin(), tokens.end());
  text.unknown += static_cast<std::uint64_t>(std::ranges::count(tokens, kUnknown));
}

}  // namespace

const std::vector<std::string>& line_ends_names() {
  static const std::vector<std::string> names = {"token", "space", "kept"};
  return names;
}

LongText LongText::take_end(double fraction) {
  const auto kept =
      static_cast<std::size_t>(std::floor((1 - fraction) * static_cast<double>(tokens.size())));
  const auto middle = tokens.begin() + static_cast<std::ptrdiff_t>(kept);
  const auto share = [&](std::uint64_t count) {
    return tokens.empty() ? 0
                          : static_cast<std::uint64_t>(static_cast<double>(count) *
                                                       static_cast<double>(tokens.size() - kept) /
                                                       static_cast<double>(tokens.size()));
  };
  LongText end{.tokens = Tokens(middle, tokens.end()),
               .characters = share(characters),
               .lines = share(lines),
               .unknown = static_cast<std::uint64_t>(std::count(middle, tokens.end(), kUnknown))};
  tokens.erase(middle, tokens.end());
  characters -= end.characters;
  lines -= end.lines;
  unknown -= end.unknown;
  return end;
}

LongText LongTextBuilder::take() {
  if (line_ends_ == LineEnds::kept) append(text_, tokeniser_.encode(kept_).tokens);
  kept_.clear();
  return std::move(text_);
}

void LongTextBuilder::add_line(std::string_view line) {
  ++text_.lines;
  text_.characters += code_points(line) + 1;
  if (line_ends_ == LineEnds::kept) {
    kept_.append(line).push_back('\n');
    return;
  }
  if (line_ends_ == LineEnds::token) {
    append(text_, tokeniser_.encode(line).tokens);
    text_.tokens.push_back(kEnd);
    return;
  }
  // Between the characters of two lines the space must be written; words have theirs anyway.
  append(text_, tokeniser_.kind() == TokeniserKind::characters
                    ? tokeniser_.encode(std::string(line) + " ").tokens
                    : tokeniser_.encode(line).tokens);
}

LongText read_long_text(const std::filesystem::path& path, const Tokeniser& tokeniser,
                        LineEnds line_ends) {
  LineReader reader(path);
  LongTextBuilder builder(tokeniser, line_ends);
  bool any = false;
  for (std::string line; reader.next(line);) {
    any = any || !trim(line).empty();
    builder.add_line(line);
  }
  if (!any) throw DataError("{}: no line of text; give a file that has some", reader.name());
  return builder.take();
}

LongText long_text(std::string_view text, const Tokeniser& tokeniser, LineEnds line_ends) {
  LongTextBuilder builder(tokeniser, line_ends);
  if (line_ends == LineEnds::kept) {
    LongText whole{.characters = code_points(text), .lines = 1};
    append(whole, tokeniser.encode(text).tokens);
    whole.lines += static_cast<std::uint64_t>(std::ranges::count(text, '\n'));
    return whole;
  }
  const std::size_t last = text.rfind('\n');
  if (last != std::string_view::npos) {
    for (const std::string_view line : split(text.substr(0, last), '\n')) builder.add_line(line);
  }
  LongText result = builder.take();
  const std::string_view rest = last == std::string_view::npos ? text : text.substr(last + 1);
  if (rest.empty()) return result;
  ++result.lines;
  result.characters += code_points(rest);
  append(result, tokeniser.encode(rest).tokens);
  return result;
}

}  // namespace heed::text
