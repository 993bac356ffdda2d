// SPDX-License-Identifier: Apache-2.0
// Batches: several sequences side by side, padded to the longest.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "heed/text/token.h"

#pragma GCC visibility push(default)  // exported

namespace heed::text {

struct TokenRows {
  std::int64_t rows = 0;
  std::int64_t width = 0;               // the longest row
  std::vector<Token> ids{};             // [rows, width], kPadding after each row's end
  std::vector<std::int32_t> lengths{};  // [rows]

  std::int64_t tokens() const;  // without padding
};

TokenRows pad_rows(std::span<const Tokens> sequences);

// The sentences before each of a batch in its document.
struct ContextRows {
  TokenRows source{};  // each distinct sentence once
  TokenRows target{};
  std::int64_t sentences = 0;        // K, before one at most
  std::vector<std::int32_t> rows{};  // [batch, K], of these, the nearest first; -1: none
};

// Sentence pairs. Every sequence, of both sides, ends with kEnd.
struct PairBatch {
  TokenRows source{};
  TokenRows target{};
  std::vector<std::uint64_t> lines{};               // of each pair in its files, from 1
  std::vector<std::vector<std::int32_t>> labels{};  // of each pair, see TokenPair
  TokenRows copies{};                               // the sources as TokenPair::copies, or no rows
  ContextRows before{};                             // when asked for
};

}  // namespace heed::text

#pragma GCC visibility pop
