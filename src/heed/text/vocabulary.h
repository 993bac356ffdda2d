// SPDX-License-Identifier: Apache-2.0
// Vocabulary: the pieces of a corpus and their tokens, kUnknown for what is out-of-vocabulary, and
// the file, which can be read and edited.
//
// The file is UTF-8 text. Its first line says what follows, each further line is a piece, a tab and
// how often the corpus had it; tokens count from 4 in the order of the lines:
//   heed-vocabulary 1 kind=words lower_case=no
//   the<TAB>8124
//   l'<TAB>977
// The first line of characters whose white space is kept says spaces=kept too.
// A line written by hand may leave out tab and count. In a piece \\ stands for a backslash and
// \u{9} for a character that cannot be seen, by its hexadecimal number.
#pragma once  // public header

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "heed/text/token.h"
#include "heed/text/tokeniser.h"

#pragma GCC visibility push(default)  // exported

namespace heed::text {

inline constexpr std::string_view kUnknownText = "\u2047";  // ⁇, what kUnknown is in a text

// Of a special token: "<pad>", "<unk>", "<s>", "</s>".
std::string_view special_piece(Token token);

// UsageError unless 0 <= token < size.
void require_token(Token token, Token size);

class Vocabulary {
 public:
  struct Entry {
    std::string piece;
    std::int64_t count = 0;
  };

  Vocabulary() = default;

  // Gives the piece the next token; false when there is one already or the piece is a special one.
  bool add(std::string piece, std::int64_t count);

  Token size() const { return kFirstPiece + static_cast<Token>(entries_.size()); }
  Token find(std::string_view piece) const;  // kUnknown when there is none
  std::string_view piece(Token token) const;
  const std::vector<Entry>& entries() const { return entries_; }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };
  std::vector<Entry> entries_;
  std::unordered_map<std::string, Token, Hash, std::equal_to<>> tokens_;
};

// The piece of a token; tokens after the vocabulary are a sentence's `own`.
std::string_view piece_of(const Vocabulary& vocabulary, Token token,
                          std::span<const std::string> own);

// Counts pieces, then keeps the most frequent ones; those equally frequent in the order of their
// bytes.
class PieceCounter {
 public:
  void add(std::string_view piece);
  // UsageError when nothing is frequent enough, or the size leaves no room.
  Vocabulary most_frequent(const TokeniserOptions& options) const;

 private:
  std::unordered_map<std::string, std::int64_t> counts_;
};

struct VocabularyFile {
  TokeniserKind kind = TokeniserKind::words;
  bool lower_case = false;
  Spaces spaces = Spaces::squeezed;
  Vocabulary vocabulary{};
};

// Whether bytes claim to be a vocabulary file, good or bad.
bool is_vocabulary_file(std::string_view bytes);
std::string format_vocabulary(const VocabularyFile& file);
// Trusts nothing: DataError with `name` and line.
VocabularyFile parse_vocabulary(std::string_view bytes, const std::string& name);

}  // namespace heed::text

#pragma GCC visibility pop
