// SPDX-License-Identifier: Apache-2.0
// A tokeniser that was trained elsewhere: the steps of a tokenizer.json, with Heed's numbers.
//
// Its file is one line of JSON:
//   {"heed-tokeniser": 1, "rows": 50257, "end": 50256, ..., "tokenizer": {...}}
// rows: how many numbers the model has; padding, unknown, begin, end, mask: which original numbers
// these are, where the vocabulary has them; tokenizer: the parts of a tokenizer.json that say how
// text becomes pieces. Two things are Heed's own there: a normalizer "SentencePiece", and in a
// model `scores` (BPE) or `numbers` (Unigram), for vocabularies that were no tokenizer.json.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "heed/base/json.h"
#include "heed/text/foreign/renumbering.h"
#include "heed/text/tokeniser.h"

#pragma GCC visibility push(default)  // exported

namespace heed::text {

struct ForeignVocabulary {
  Json tokenizer{};
  Token rows = 0;
  SpecialNumbers special{};
};

// DataError with the place, beginning with `name`, for parts outside the subset that Heed knows and
// for what does not fit together: a number beyond the rows, a piece that is there twice, a merge of
// what are no pieces.
std::unique_ptr<Tokeniser> foreign_tokeniser(ForeignVocabulary vocabulary, const std::string& name);
// From the bytes of its file.
std::unique_ptr<Tokeniser> parse_foreign_tokeniser(std::string_view bytes, const std::string& name);
// Whether bytes claim to be such a file, good or bad.
bool is_foreign_tokeniser(std::string_view bytes);

}  // namespace heed::text

#pragma GCC visibility pop
