// SPDX-License-Identifier: Apache-2.0
// The tokeniser of words, by rules or by white space alone.
#include "heed/text/words.h"

#include <utility>

#include "heed/base/file.h"
#include "heed/text/unicode.h"
#include "heed/text/white_space.h"
#include "heed/text/word_rules.h"

namespace heed::text {
namespace {

std::string prepared(std::string_view line, const VocabularyFile& file) {
  require_utf8(line);
  return file.lower_case ? lower_cased(composed(line)) : composed(line);
}

// What white space separates, whatever it is made of.
std::vector<ByteSpan> cut_spaces(std::string_view text) {
  std::vector<ByteSpan> spans;
  for (const std::string_view word : words_of(text)) {
    const auto begin = static_cast<std::size_t>(word.data() - text.data());
    spans.push_back({begin, begin + word.size()});
  }
  return spans;
}

JoinedWords join_spaces(std::span<const std::string_view> pieces) {
  JoinedWords joined;
  for (const std::string_view piece : pieces) {
    if (!joined.spans.empty()) joined.text += ' ';
    joined.spans.push_back({joined.text.size(), joined.text.size() + piece.size()});
    joined.text += piece;
  }
  return joined;
}

std::vector<ByteSpan> cut(std::string_view text, TokeniserKind kind) {
  return kind == TokeniserKind::spaced ? cut_spaces(text) : cut_words(text);
}

class Words : public Tokeniser {
 public:
  explicit Words(VocabularyFile file) : file_(std::move(file)) {}

  TokeniserKind kind() const override { return file_.kind; }
  Token size() const override { return file_.vocabulary.size(); }

  Encoding encode(std::string_view line) const override {
    const std::string text = prepared(line, file_);
    const std::vector<ByteSpan> pieces = cut(text, file_.kind);
    Encoding result;
    for (const ByteSpan& piece : pieces) {
      const std::string_view word =
          std::string_view(text).substr(piece.begin, piece.end - piece.begin);
      result.tokens.push_back(file_.vocabulary.find(word));
      if (result.tokens.back() == kUnknown) result.unknown.emplace_back(word);
    }
    result.words = words_at(text, pieces);
    return result;
  }

  Decoding decode(std::span<const Token> tokens, std::span<const std::string> own) const override {
    std::vector<std::string_view> pieces;
    for (const Token token : tokens) {
      const std::string_view piece = piece_of(file_.vocabulary, token, own);
      if (is_text(token)) pieces.push_back(token == kUnknown ? kUnknownText : piece);
    }
    JoinedWords joined =
        file_.kind == TokeniserKind::spaced ? join_spaces(pieces) : join_words(pieces);
    std::vector<ByteSpan> spans;
    std::size_t behind = 0;  // the piece before
    auto span = joined.spans.begin();
    for (const Token token : tokens) {
      spans.push_back(is_text(token) ? *span++ : ByteSpan{behind, behind});
      behind = spans.back().end;
    }
    std::vector<int> words = words_at(joined.text, spans);
    return {.text = std::move(joined.text), .words = std::move(words)};
  }

  std::string piece(Token token) const override {
    return std::string(file_.vocabulary.piece(token));
  }
  Token find(std::string_view piece) const override { return file_.vocabulary.find(piece); }
  void save(const std::filesystem::path& path) const override {
    write_atomically(path, format_vocabulary(file_));
  }

 private:
  static bool is_text(Token token) { return token == kUnknown || token >= kFirstPiece; }

  VocabularyFile file_;
};

}  // namespace

std::unique_ptr<Tokeniser> train_words(const TokeniserOptions& options,
                                       std::span<const std::string> lines) {
  VocabularyFile file{.kind = options.kind, .lower_case = options.lower_case};
  PieceCounter counter;
  for (const std::string& line : lines) {
    const std::string text = prepared(line, file);
    for (const ByteSpan& piece : cut(text, file.kind)) {
      counter.add(std::string_view(text).substr(piece.begin, piece.end - piece.begin));
    }
  }
  file.vocabulary = counter.most_frequent(options);
  return words_tokeniser(std::move(file));
}

std::unique_ptr<Tokeniser> words_tokeniser(VocabularyFile file) {
  return std::make_unique<Words>(std::move(file));
}

}  // namespace heed::text
