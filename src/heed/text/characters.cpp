// SPDX-License-Identifier: Apache-2.0
// The tokeniser of characters.
#include "heed/text/characters.h"

#include <utility>

#include "heed/base/file.h"
#include "heed/text/unicode.h"
#include "heed/text/white_space.h"

namespace heed::text {
namespace {

constexpr std::string_view kSpace = "\u2581";  // ▁
std::string prepared(std::string_view line, const VocabularyFile& file) {
  require_utf8(line);
  std::string text = spaced(composed(line), kSpace);
  if (file.spaces == Spaces::squeezed) text = squeezed(text);
  return file.lower_case ? lower_cased(text) : text;
}

std::vector<ByteSpan> cut_characters(std::string_view text) {
  std::vector<ByteSpan> spans;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    next_code_point(text, at);
    spans.push_back({begin, at});
  }
  return spans;
}

std::string_view piece_at(std::string_view text, const ByteSpan& span) {
  const std::string_view piece = text.substr(span.begin, span.end - span.begin);
  return piece == " " ? kSpace : piece;
}

class Characters : public Tokeniser {
 public:
  explicit Characters(VocabularyFile file) : file_(std::move(file)) {}

  TokeniserKind kind() const override { return TokeniserKind::characters; }
  Token size() const override { return file_.vocabulary.size(); }

  Encoding encode(std::string_view line) const override {
    const std::string text = prepared(line, file_);
    const std::vector<ByteSpan> spans = cut_characters(text);
    Encoding result;
    for (const ByteSpan& span : spans) {
      const std::string_view piece = piece_at(text, span);
      result.tokens.push_back(file_.vocabulary.find(piece));
      if (result.tokens.back() == kUnknown) result.unknown.emplace_back(piece);
    }
    result.words = words_at(text, spans);
    return result;
  }

  Decoding decode(std::span<const Token> tokens, std::span<const std::string> own) const override {
    Decoding result;
    std::vector<ByteSpan> spans;
    for (const Token token : tokens) {
      const std::string_view piece = piece_of(file_.vocabulary, token, own);
      const std::size_t begin = result.text.size();
      if (token == kUnknown) {
        result.text += kUnknownText;
      } else if (token >= kFirstPiece) {
        result.text += piece == kSpace ? " " : piece;
      }
      spans.push_back({begin, result.text.size()});
    }
    result.words = words_at(result.text, spans);
    return result;
  }

  std::string piece(Token token) const override {
    return std::string(file_.vocabulary.piece(token));
  }
  Token find(std::string_view piece) const override { return file_.vocabulary.find(piece); }
  void save(const std::filesystem::path& path) const override {
    write_atomically(path, format_vocabulary(file_));
  }

 private:
  VocabularyFile file_;
};

}  // namespace

std::unique_ptr<Tokeniser> train_characters(const TokeniserOptions& options,
                                            std::span<const std::string> lines) {
  VocabularyFile file{.kind = TokeniserKind::characters,
                      .lower_case = options.lower_case,
                      .spaces = options.spaces};
  PieceCounter counter;
  for (const std::string& line : lines) {
    const std::string text = prepared(line, file);
    for (const ByteSpan& span : cut_characters(text)) counter.add(piece_at(text, span));
  }
  file.vocabulary = counter.most_frequent(options);
  return characters_tokeniser(std::move(file));
}

std::unique_ptr<Tokeniser> characters_tokeniser(VocabularyFile file) {
  return std::make_unique<Characters>(std::move(file));
}

}  // namespace heed::text
