// SPDX-License-Identifier: Apache-2.0
// The tokeniser of words: pieces by the rules of word_rules.h, or what white space separates (kind
// spaced, for texts that are cut already); the most frequent ones are known.
// Text is brought to Unicode's form C first.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "heed/text/tokeniser.h"
#include "heed/text/vocabulary.h"

namespace heed::text {

// options.kind is words or spaced.
std::unique_ptr<Tokeniser> train_words(const TokeniserOptions& options,
                                       std::span<const std::string> lines);
std::unique_ptr<Tokeniser> words_tokeniser(VocabularyFile file);

}  // namespace heed::text
