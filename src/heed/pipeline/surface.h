// SPDX-License-Identifier: Apache-2.0
// Tokens in the letters of who wrote the text: what was read in lower case shows as it was written,
// and what the vocabulary has no piece for shows as the word with a mark, not as "<unk>".
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/text/tokeniser.h"

namespace heed::pipeline {

// After a word that is outside the vocabulary.
inline constexpr std::string_view kUnknownMark = "(?)";

// A piece for each token of the encoding, which is that of `line` or of its sentences one after the
// other: as pictures show pieces, but with the letters of the line. Special tokens, and pieces
// whose letters the tokeniser has changed otherwise, are as Tokeniser::piece gives them.
std::vector<std::string> surface_pieces(const text::Tokeniser& tokeniser, std::string_view line,
                                        const text::Encoding& encoding);

// The same of a long text and what a model wrote after it: `tokens` are those of its lines, an end
// after each or none, maybe with an end before the first; what does not follow from the text is as
// Tokeniser::piece gives it.
std::vector<std::string> surface_of_lines(const text::Tokeniser& tokeniser, std::string_view text,
                                          std::span<const text::Token> tokens);

}  // namespace heed::pipeline
