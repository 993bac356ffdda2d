// SPDX-License-Identifier: Apache-2.0
// Subwords: SentencePiece's byte-pair encoding (Sennrich 2016) and unigram model (Kudo 2018).
#pragma once  // public header

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "heed/text/tokeniser.h"

#pragma GCC visibility push(default)  // exported

namespace heed::text {

std::unique_ptr<Tokeniser> train_subwords(const TokeniserOptions& options,
                                          std::span<const std::string> lines);
// From the bytes of a .model file; `name` stands for it in messages.
std::unique_ptr<Tokeniser> subwords_tokeniser(std::string bytes, const std::string& name);

}  // namespace heed::text

#pragma GCC visibility pop
