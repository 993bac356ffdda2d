// SPDX-License-Identifier: Apache-2.0
// The laws that any vocabulary from elsewhere keeps once it was accepted.
#pragma once

#include "heed/base/fuzzing.h"
#include "heed/text/foreign/foreign_tokeniser.h"

namespace heed::test {

inline constexpr text::Token kRows = 4096;

// Whether it was accepted.
inline bool holds(Json tokenizer) {
  std::unique_ptr<text::Tokeniser> tokeniser;
  const bool read = accepted([&] {
    tokeniser = text::foreign_tokeniser(
        {.tokenizer = std::move(tokenizer), .rows = kRows, .special = {.unknown = 0, .end = 1}},
        "input");
  });
  if (!read) return false;
  for (const std::string_view line : {"ab ba  it's", "\u00dfe \ufb01 \u4f60\n12345", ""}) {
    const text::Encoding encoding = tokeniser->encode_special(line);
    require(encoding.words.size() == encoding.tokens.size(), "a token belongs to no word");
    for (const text::Token token : encoding.tokens) {
      require(token >= 0 && token < tokeniser->size(), "a token outside the vocabulary");
    }
    require(tokeniser->decode(encoding.tokens).words.size() == encoding.tokens.size(),
            "a token written belongs to no word");
  }
  return true;
}

}  // namespace heed::test
