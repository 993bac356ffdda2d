// SPDX-License-Identifier: Apache-2.0
// Finds added tokens in a text.
#include "heed/text/foreign/added_tokens.h"

#include <algorithm>

#include "heed/text/unicode.h"

namespace heed::text {
namespace {

constexpr std::int64_t kMostNumber = 10'000'000;

// Whether the character that ends before `at`, or begins there, is of a word.
bool is_word_before(std::string_view text, std::size_t at) {
  if (at == 0) return false;
  std::size_t begin = at - 1;
  while (begin > 0 && (static_cast<unsigned char>(text[begin]) & 0xC0) == 0x80) --begin;
  const CharacterClasses classes = classes_of(next_code_point(text, begin));
  return classes.letter || classes.number;
}
bool is_word_at(std::string_view text, std::size_t at) {
  if (at >= text.size()) return false;
  const CharacterClasses classes = classes_of(next_code_point(text, at));
  return classes.letter || classes.number;
}

}  // namespace

std::vector<AddedToken> added_tokens(const JsonPlace& list) {
  std::vector<AddedToken> tokens;
  if (list.is_null()) return tokens;
  for (std::size_t i = 0; i < list.list().size(); ++i) {
    const JsonPlace place = list.at(i);
    const auto flag = [&](const char* name) {
      const auto found = place.find(name);
      return found && found->truth();
    };
    AddedToken& token = tokens.emplace_back();
    token = {.number = static_cast<Token>(place.at("id").whole(0, kMostNumber)),
             .content = place.at("content").text(),
             .special = flag("special"),
             .takes_before = flag("lstrip"),
             .takes_behind = flag("rstrip"),
             .whole_word = flag("single_word")};
    if (token.content.empty()) place.fail("an added token without content");
  }
  return tokens;
}

std::vector<TextPart> parts_at(std::string_view text,
                               const std::vector<const AddedToken*>& tokens) {
  std::vector<TextPart> parts;
  std::size_t begin = 0;
  const auto close = [&](std::size_t end) {
    if (end > begin) parts.push_back({{begin, end}, nullptr});
  };
  for (std::size_t at = 0; at < text.size();) {
    const AddedToken* best = nullptr;
    for (const AddedToken* token : tokens) {
      const std::size_t end = at + token->content.size();
      const bool longer = best == nullptr || token->content.size() > best->content.size();
      if (!longer || text.compare(at, token->content.size(), token->content) != 0) continue;
      if (token->whole_word && (is_word_before(text, at) || is_word_at(text, end))) continue;
      best = token;
    }
    if (best == nullptr) {
      next_code_point(text, at);
      continue;
    }
    std::size_t first = at;
    std::size_t last = at + best->content.size();
    while (best->takes_before && first > begin && is_blank(text.substr(first - 1, 1))) --first;
    while (best->takes_behind && last < text.size() && space_bytes(text, last) > 0) {
      last += space_bytes(text, last);
    }
    close(first);
    parts.push_back({{first, last}, best});
    begin = at = last;
  }
  close(text.size());
  return parts;
}

}  // namespace heed::text
