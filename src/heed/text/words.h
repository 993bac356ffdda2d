// SPDX-License-Identifier: Apache-2.0
// The tokeniser of words: pieces by the rules of word_rules.h, the most frequent ones being known.
// Text is brought to Unicode's form C first.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "heed/text/tokeniser.h"
#include "heed/text/vocabulary.h"

namespace heed::text {

std::unique_ptr<Tokeniser> train_words(const TokeniserOptions& options,
                                       std::span<const std::string> lines);
std::unique_ptr<Tokeniser> words_tokeniser(VocabularyFile file);

}  // namespace heed::text
