// SPDX-License-Identifier: Apache-2.0
// Word by word: pieces are laid along the letters of the word that they belong to.
#include "heed/pipeline/surface.h"

#include <algorithm>

#include "heed/base/text.h"
#include "heed/text/unicode.h"
#include "heed/text/white_space.h"

namespace heed::pipeline {
namespace {

constexpr std::string_view kWordBegin = "\u2581";

// A word of the line, and how much of it has been given to pieces.
class Letters {
 public:
  explicit Letters(std::string_view word) : word_(text::composed(word)) {}

  // The next letters if they are these but for their case; else nothing.
  std::string take(std::string_view letters) {
    const std::size_t end = end_after(at_, letters);
    if (end == word_.npos) return {};
    return cut(end);
  }
  std::string take_one() {
    std::size_t end = at_;
    if (end < word_.size()) text::next_code_point(word_, end);
    return cut(end);
  }
  // All up to where these come, or to the end of the word.
  std::string take_until(std::string_view letters) {
    std::size_t end = at_;
    while (end < word_.size() && (letters.empty() || end_after(end, letters) == word_.npos)) {
      text::next_code_point(word_, end);
    }
    return cut(end);
  }

 private:
  std::size_t end_after(std::size_t from, std::string_view letters) const {
    std::size_t end = from;
    for (std::size_t i = 0; i < letters.size();) {
      text::next_code_point(letters, i);
      if (end >= word_.size()) return word_.npos;
      text::next_code_point(word_, end);
    }
    const std::string_view found = std::string_view(word_).substr(from, end - from);
    const bool same = found == letters || text::lower_cased(found) == text::lower_cased(letters);
    return same ? end : word_.npos;
  }
  std::string cut(std::size_t end) {
    std::string letters = word_.substr(at_, end - at_);
    at_ = end;
    return letters;
  }

  std::string word_;
  std::size_t at_ = 0;
};

// "▁cat" -> "▁", "cat"
std::pair<std::string, std::string> parts_of(const std::string& piece) {
  const std::size_t mark = piece.starts_with(kWordBegin) ? kWordBegin.size() : 0;
  return {piece.substr(0, mark), piece.substr(mark)};
}

}  // namespace

std::vector<std::string> surface_pieces(const text::Tokeniser& tokeniser, std::string_view line,
                                        const text::Encoding& encoding) {
  const std::vector<std::string_view> words = text::words_of(line);
  std::vector<std::string> pieces;
  Letters letters{""};
  int current = -1;
  for (std::size_t i = 0; i < encoding.tokens.size(); ++i) {
    const text::Token token = encoding.tokens[i];
    const int word = i < encoding.words.size() ? encoding.words[i] : -1;
    const bool special = token < text::kFirstPiece && token != text::kUnknown;
    pieces.push_back(tokeniser.piece(token));
    if (special || word < 0 || static_cast<std::size_t>(word) >= words.size()) continue;
    if (word != current) letters = Letters(words[static_cast<std::size_t>(word)]);
    current = word;
    if (token != text::kUnknown) {
      const auto [mark, plain] = parts_of(pieces.back());
      const std::string written = letters.take(plain);
      if (!written.empty()) pieces.back() = mark + written;
      continue;
    }
    // What comes next in the word says where the unknown ends.
    const bool goes_on = i + 1 < encoding.tokens.size() && i + 1 < encoding.words.size() &&
                         encoding.words[i + 1] == word &&
                         encoding.tokens[i + 1] >= text::kFirstPiece;
    const std::string next =
        goes_on ? parts_of(tokeniser.piece(encoding.tokens[i + 1])).second : std::string();
    const bool one = tokeniser.kind() == text::TokeniserKind::characters;
    const std::string written = one ? letters.take_one() : letters.take_until(next);
    if (!written.empty()) pieces.back() = written + std::string(kUnknownMark);
  }
  return pieces;
}

std::vector<std::string> surface_of_lines(const text::Tokeniser& tokeniser, std::string_view text,
                                          std::span<const text::Token> tokens) {
  std::vector<std::string> pieces;
  const auto take_end = [&] {
    if (pieces.size() >= tokens.size() || tokens[pieces.size()] != text::kEnd) return;
    pieces.push_back(tokeniser.piece(text::kEnd));
  };
  take_end();
  for (const std::string_view line : split(text, '\n')) {
    const text::Encoding encoding = tokeniser.encode(line);
    const std::span<const text::Token> rest = tokens.subspan(pieces.size());
    const std::size_t count = std::min(encoding.tokens.size(), rest.size());
    if (!std::equal(rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(count),
                    encoding.tokens.begin())) {
      break;
    }
    std::vector<std::string> shown = surface_pieces(tokeniser, line, encoding);
    shown.resize(count);
    pieces.insert(pieces.end(), shown.begin(), shown.end());
    take_end();
  }
  for (const text::Token token : tokens.subspan(pieces.size())) {
    pieces.push_back(tokeniser.piece(token));
  }
  return pieces;
}

}  // namespace heed::pipeline
