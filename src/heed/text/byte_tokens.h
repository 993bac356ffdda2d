// SPDX-License-Identifier: Apache-2.0
// The tokeniser of bytes: one token for each byte of a text in UTF-8, so that its vocabulary is the
// same for all texts and nothing is unknown.
//
// Token 4 is byte 0, token 259 byte 255. Visible characters of ASCII are their own pieces, a space
// is ▁, other bytes are written as <0xC3>. White space is squeezed or kept as options say, as with
// characters; all else stays as it is. Bytes that are no UTF-8 together, as a model may write them,
// become U+FFFD.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "heed/text/tokeniser.h"
#include "heed/text/vocabulary.h"

namespace heed::text {

// What the lines have is counted; the vocabulary is that of all bytes. UsageError for a size that
// has no room for them.
std::unique_ptr<Tokeniser> train_bytes(const TokeniserOptions& options,
                                       std::span<const std::string> lines);
// DataError with `name` for a file whose pieces are not the bytes in their order.
std::unique_ptr<Tokeniser> bytes_tokeniser(VocabularyFile file, const std::string& name);

}  // namespace heed::text
