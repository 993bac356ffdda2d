// SPDX-License-Identifier: Apache-2.0
// Fuzz target of vocabulary files and of the tokenisers made of them, which then read the file.
#include "heed/text/vocabulary.h"

#include "heed/base/fuzzing.h"
#include "heed/text/byte_tokens.h"
#include "heed/text/characters.h"
#include "heed/text/words.h"

namespace heed::test {
namespace {

void use(const text::Tokeniser& tokeniser, std::string_view line) {
  const text::Encoding encoding = tokeniser.encode(line);
  require(encoding.words.size() == encoding.tokens.size(), "a token belongs to no word");
  for (const text::Token token : encoding.tokens) {
    require(token >= 0 && token < tokeniser.size(), "a token outside the vocabulary");
  }
  require(tokeniser.decode(encoding.tokens).words.size() == encoding.tokens.size(),
          "a token written belongs to no word");
}

std::unique_ptr<text::Tokeniser> tokeniser_of(text::VocabularyFile file) {
  if (file.kind == text::TokeniserKind::bytes) {
    return text::bytes_tokeniser(std::move(file), "input");
  }
  if (file.kind == text::TokeniserKind::characters) {
    return text::characters_tokeniser(std::move(file));
  }
  return text::words_tokeniser(std::move(file));
}

bool read_vocabulary(std::string_view bytes) {
  return accepted([&] {
    text::VocabularyFile file = text::parse_vocabulary(bytes, "input");
    const std::string written = text::format_vocabulary(file);
    const text::VocabularyFile again = text::parse_vocabulary(written, "written");
    require(text::format_vocabulary(again) == written, "a vocabulary comes back changed");
    const std::size_t pieces = file.vocabulary.entries().size();
    require(again.vocabulary.entries().size() == pieces, "a piece is lost");
    for (std::size_t i = 0; i < pieces; ++i) {
      require(again.vocabulary.entries()[i].piece == file.vocabulary.entries()[i].piece,
              "a piece comes back changed");
    }
    const auto tokeniser = tokeniser_of(std::move(file));
    for (text::Token token = 0; token < tokeniser->size(); ++token) {
      require(tokeniser->find(tokeniser->piece(token)) == token, "a piece is not found");
    }
    use(*tokeniser, bytes);
    use(*tokeniser, "The Straße isn't there: l'été, 3.5 %.");
  });
}

const FuzzTarget kVocabulary("vocabulary", read_vocabulary);

}  // namespace
}  // namespace heed::test
