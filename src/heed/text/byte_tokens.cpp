// SPDX-License-Identifier: Apache-2.0
// The tokeniser of bytes.
#include "heed/text/byte_tokens.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/base/text.h"
#include "heed/text/unicode.h"
#include "heed/text/white_space.h"

namespace heed::text {
namespace {

constexpr Token kBytes = 256;
constexpr std::string_view kReplacement = "\uFFFD";

std::string piece_of_byte(int byte) {
  if (byte == ' ') return "\u2581";  // ▁
  if (byte > ' ' && byte < 0x7F) return std::string(1, static_cast<char>(byte));
  return fmt::format("<0x{:02X}>", byte);
}

std::string prepared_bytes(std::string_view line, const VocabularyFile& file) {
  require_utf8(line);
  std::string text = file.spaces == Spaces::squeezed ? squeezed(line) : std::string(line);
  return file.lower_case ? lower_cased(text) : text;
}

// Bytes as a text, U+FFFD for each that is part of no character, and where each byte went.
struct MendedBytes {
  std::string text;
  std::vector<ByteSpan> spans;
};
MendedBytes mended(std::string_view bytes) {
  MendedBytes made;
  while (!bytes.empty()) {
    const std::size_t good = std::min(invalid_utf8(bytes), bytes.size());
    for (std::size_t i = 0; i < good; ++i) {
      made.text += bytes[i];
      made.spans.push_back({made.text.size() - 1, made.text.size()});
    }
    bytes.remove_prefix(good);
    if (bytes.empty()) break;
    made.spans.push_back({made.text.size(), made.text.size() + kReplacement.size()});
    made.text += kReplacement;
    bytes.remove_prefix(1);
  }
  return made;
}

class Bytes : public Tokeniser {
 public:
  explicit Bytes(VocabularyFile file) : file_(std::move(file)) {}

  TokeniserKind kind() const override { return TokeniserKind::bytes; }
  Token size() const override { return file_.vocabulary.size(); }

  Encoding encode(std::string_view line) const override {
    const std::string text = prepared_bytes(line, file_);
    Encoding result;
    std::vector<ByteSpan> spans;
    for (std::size_t i = 0; i < text.size(); ++i) {
      result.tokens.push_back(kFirstPiece + static_cast<unsigned char>(text[i]));
      spans.push_back({i, i + 1});
    }
    result.words = words_at(text, spans);
    return result;
  }

  Decoding decode(std::span<const Token> tokens, std::span<const std::string> own) const override {
    std::string bytes;
    std::vector<ByteSpan> raw;  // of each token
    for (const Token token : tokens) {
      const std::string_view piece = piece_of(file_.vocabulary, token, own);
      const std::size_t begin = bytes.size();
      if (token == kUnknown) {
        bytes += kUnknownText;
      } else if (token >= kFirstPiece + kBytes) {
        bytes += piece;
      } else if (token >= kFirstPiece) {
        bytes += static_cast<char>(token - kFirstPiece);
      }
      raw.push_back({begin, bytes.size()});
    }
    const MendedBytes made = mended(bytes);
    const auto place = [&made](std::size_t byte) {
      return byte < made.spans.size() ? made.spans[byte].begin : made.text.size();
    };
    std::vector<ByteSpan> spans;
    for (const ByteSpan& span : raw) spans.push_back({place(span.begin), place(span.end)});
    return {.text = made.text, .words = words_at(made.text, spans)};
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

std::unique_ptr<Tokeniser> train_bytes(const TokeniserOptions& options,
                                       std::span<const std::string> lines) {
  if (options.size < kFirstPiece + kBytes) {
    throw UsageError("a vocabulary of {} has no room for bytes: they take {} tokens", options.size,
                     kFirstPiece + kBytes);
  }
  VocabularyFile file{
      .kind = TokeniserKind::bytes, .lower_case = options.lower_case, .spaces = options.spaces};
  std::array<std::int64_t, kBytes> counts{};
  for (const std::string& line : lines) {
    for (const char byte : prepared_bytes(line, file)) ++counts[static_cast<unsigned char>(byte)];
  }
  for (int byte = 0; byte < kBytes; ++byte) {
    file.vocabulary.add(piece_of_byte(byte), counts[static_cast<std::size_t>(byte)]);
  }
  return std::make_unique<Bytes>(std::move(file));
}

std::unique_ptr<Tokeniser> bytes_tokeniser(VocabularyFile file, const std::string& name) {
  const auto& entries = file.vocabulary.entries();
  for (int byte = 0; byte < kBytes; ++byte) {
    const auto at = static_cast<std::size_t>(byte);
    if (at < entries.size() && entries[at].piece == piece_of_byte(byte)) continue;
    throw DataError("{}:{}: kind=bytes has the piece {} in this line", name, at + 2,
                    piece_of_byte(byte));
  }
  if (entries.size() > kBytes) {
    throw DataError("{}:{}: kind=bytes has {} pieces and no more; remove the line", name,
                    kBytes + 2, kBytes);
  }
  return std::make_unique<Bytes>(std::move(file));
}

}  // namespace heed::text
