// SPDX-License-Identifier: Apache-2.0
// Fuzz target of SentencePiece models, which its library would trust.
#include "heed/text/subwords.h"

#include "heed/base/fuzzing.h"

namespace heed::test {
namespace {

bool read_subwords(std::string_view bytes) {
  std::unique_ptr<text::Tokeniser> tokeniser;
  const bool read =
      accepted([&] { tokeniser = text::subwords_tokeniser(std::string(bytes), "input"); });
  if (!read) return false;
  for (const std::string_view line : {"ab ba  \u2581b", "\u00dfe \ufb01 \u4f60", ""}) {
    accepted([&] {
      const text::Encoding encoding = tokeniser->encode(line);
      require(encoding.words.size() == encoding.tokens.size(), "a token belongs to no word");
      for (const text::Token token : encoding.tokens) {
        require(token >= 0 && token < tokeniser->size(), "a token outside the vocabulary");
      }
      require(tokeniser->decode(encoding.tokens).words.size() == encoding.tokens.size(),
              "a token written belongs to no word");
    });
  }
  for (text::Token token = 0; token < tokeniser->size(); ++token) {
    const text::Token found = tokeniser->find(tokeniser->piece(token));
    require(found >= 0 && found < tokeniser->size(), "a piece is found outside the vocabulary");
  }
  return true;
}

const FuzzTarget kSubwords("subwords", read_subwords);

}  // namespace
}  // namespace heed::test
