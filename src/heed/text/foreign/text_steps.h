// SPDX-License-Identifier: Apache-2.0
// What tokenizer.json calls a normalizer: steps that rewrite a line before it is cut into pieces.
#pragma once

#include <vector>

#include "heed/base/json.h"
#include "heed/text/foreign/traced_text.h"

namespace heed::text {

// The steps of a normalizer, in their order: null, Sequence, BertNormalizer, NFC, NFD, NFKC, NFKD,
// Lowercase, StripAccents, Prepend, Replace, Precompiled; and SentencePiece, Heed's own name for
// what the normaliser of a .model file says. DataError with the place for any other.
std::vector<TextStep> text_steps(const JsonPlace& normalizer);

// The pattern of a text to be found, {"String": "x"}; DataError for a regular expression.
const std::string& plain_pattern(const JsonPlace& pattern);

}  // namespace heed::text
