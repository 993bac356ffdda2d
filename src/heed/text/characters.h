// SPDX-License-Identifier: Apache-2.0
// The tokeniser of characters: one token per code point of the text in Unicode's form C.
//
// Code points, not grapheme clusters: a vocabulary of clusters grows with every new accent or emoji
// sequence of the corpus, while code points stay few and any new sequence of known ones has tokens.
// White space is written ▁ as SentencePiece does; several in a row count as one, those at the ends
// as none, and ▁ in the text is a space too. With Spaces::kept every space and tab of a line is a
// token, so that a text comes back as it was.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "heed/text/tokeniser.h"
#include "heed/text/vocabulary.h"

namespace heed::text {

std::unique_ptr<Tokeniser> train_characters(const TokeniserOptions& options,
                                            std::span<const std::string> lines);
std::unique_ptr<Tokeniser> characters_tokeniser(VocabularyFile file);

}  // namespace heed::text
