// SPDX-License-Identifier: Apache-2.0
// Tokeniser: a line of text to tokens and back. Subwords (SentencePiece), words, characters,
// bytes, or what white space separates.
//
//   const auto tokeniser = train_tokeniser({.kind = TokeniserKind::bpe, .size = 8000}, lines);
//   const Encoding line = tokeniser->encode("Where does it look?");
//   tokeniser->decode(line.tokens).text;  // "Where does it look?"
#pragma once  // public header

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/text/token.h"

#pragma GCC visibility push(default)  // exported

namespace heed::text {

enum class TokeniserKind { bpe, unigram, words, characters, spaced, bytes, wordpiece };
// Of those that train_tokeniser makes; wordpiece is only read.
const std::vector<std::string>& tokeniser_names();
std::string_view name_of(TokeniserKind kind);

// Alignments speak of words: what white space separates, counted from 0. A token belongs to one.
struct Encoding {
  Tokens tokens;           // without begin and end
  std::vector<int> words;  // for each token, its word in the line
  // words, characters: the text of each kUnknown among the tokens, in their order.
  std::vector<std::string> unknown{};
};
struct Decoding {
  std::string text;
  std::vector<int>
      words;  // for each token, its word in `text`; special tokens take the last before
};

class Tokeniser {
 public:
  virtual ~Tokeniser() = default;

  virtual TokeniserKind kind() const = 0;
  virtual Token size() const = 0;  // of the vocabulary, special tokens included
  // Any UTF-8 line; what the vocabulary has no piece for becomes kUnknown. DataError for bytes that
  // are not UTF-8.
  virtual Encoding encode(std::string_view line) const = 0;
  // The same of a text that may name the special tokens of an imported vocabulary, such as
  // "<|endoftext|>": elsewhere these are letters like others, so that no text forges an end.
  virtual Encoding encode_special(std::string_view line) const { return encode(line); }
  // What stands for a missing word: kUnknown, or an imported vocabulary's own mask, which encode()
  // takes for one where a text has its piece.
  virtual Token mask() const { return kUnknown; }
  // The number that a token had where it comes from; -1 for one that it did not have.
  virtual Token original(Token token) const { return token; }
  // Special tokens are left out of the text, but kUnknown shows as "⁇".
  Decoding decode(std::span<const Token> tokens) const { return decode(tokens, {}); }
  // The same where tokens from size() on are a sentence's `own` pieces (copying.h). UsageError from
  // subwords for such a token.
  virtual Decoding decode(std::span<const Token> tokens,
                          std::span<const std::string> own) const = 0;
  // The piece as pictures show it; special tokens as "<pad>", "<unk>", "<s>", "</s>". UsageError
  // for a token outside the vocabulary.
  virtual std::string piece(Token token) const = 0;
  // The token of a piece, or kUnknown.
  virtual Token find(std::string_view piece) const = 0;
  // One file, written atomically; load_tokeniser reads it back.
  virtual void save(const std::filesystem::path& path) const = 0;
};

// Characters, bytes: white space squeezed to one space, none at the ends of a line; or kept as it
// is.
enum class Spaces { squeezed, kept };

struct TokeniserOptions {
  TokeniserKind kind = TokeniserKind::bpe;
  Token size = 8000;             // at most this many, special tokens included
  bool lower_case = false;       // the text comes back in lower case
  std::int64_t least_count = 1;  // words, characters, spaced: rarer ones are out of vocabulary
  Spaces spaces = Spaces::squeezed;
  double coverage = 1.0;  // subwords: the share of all characters that must have a piece
  int threads = 0;  // subwords: 0: heed's; unigram scores depend on their number in the last bits
};

// Subwords are SentencePiece's, over text normalised by its rule nmt_nfkc (Unicode's form KC, white
// space squeezed), or nmt_nfkc_cf for lower case, which also writes ß as ss. The same lines and
// options give the same tokeniser, which is smaller than asked for where there is little text.
// UsageError when there is no text, or when the size has no room for every character that coverage
// asks for. DataError for lines that are not UTF-8.
std::unique_ptr<Tokeniser> train_tokeniser(const TokeniserOptions& options,
                                           std::span<const std::string> lines);

// Reads what save() wrote, or a SentencePiece .model file that has its special tokens where token.h
// wants them. DataError that names the file for anything else.
std::unique_ptr<Tokeniser> load_tokeniser(const std::filesystem::path& path);

}  // namespace heed::text

#pragma GCC visibility pop
