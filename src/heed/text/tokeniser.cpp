// SPDX-License-Identifier: Apache-2.0
// Tokenisers by their kind: trained, or told apart by the content of a file.
#include "heed/text/tokeniser.h"

#include <utility>

#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/text/byte_tokens.h"
#include "heed/text/characters.h"
#include "heed/text/foreign/foreign_tokeniser.h"
#include "heed/text/subwords.h"
#include "heed/text/vocabulary.h"
#include "heed/text/words.h"

namespace heed::text {

const std::vector<std::string>& tokeniser_names() {
  static const std::vector<std::string> names = {"bpe",        "unigram", "words",
                                                 "characters", "spaced",  "bytes"};
  return names;
}

std::string_view name_of(TokeniserKind kind) {
  if (kind == TokeniserKind::wordpiece) return "wordpiece";
  return tokeniser_names().at(static_cast<std::size_t>(kind));
}

std::unique_ptr<Tokeniser> train_tokeniser(const TokeniserOptions& options,
                                           std::span<const std::string> lines) {
  switch (options.kind) {
    case TokeniserKind::bpe:
    case TokeniserKind::unigram:
      return train_subwords(options, lines);
    case TokeniserKind::words:
    case TokeniserKind::spaced:
      return train_words(options, lines);
    case TokeniserKind::characters:
      return train_characters(options, lines);
    case TokeniserKind::bytes:
      return train_bytes(options, lines);
    case TokeniserKind::wordpiece:
      throw UsageError("train_tokeniser: wordpiece vocabularies are imported, not trained");
  }
  throw InternalError("train_tokeniser: an unknown kind");
}

std::unique_ptr<Tokeniser> load_tokeniser(const std::filesystem::path& path) {
  std::string bytes = read_file(path);
  if (is_foreign_tokeniser(bytes)) return parse_foreign_tokeniser(bytes, path.string());
  if (!is_vocabulary_file(bytes)) return subwords_tokeniser(std::move(bytes), path.string());
  VocabularyFile file = parse_vocabulary(bytes, path.string());
  if (file.kind == TokeniserKind::characters) return characters_tokeniser(std::move(file));
  if (file.kind == TokeniserKind::bytes) return bytes_tokeniser(std::move(file), path.string());
  return words_tokeniser(std::move(file));
}

}  // namespace heed::text
