// SPDX-License-Identifier: Apache-2.0
// N-grams of a sentence, counted, and how many of them another sentence shares.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace heed::metrics {

// Of one order; the key is the tokens with a byte between them that no UTF-8 text holds.
using NgramCounts = std::map<std::string, std::int64_t, std::less<>>;

template <typename Token>
NgramCounts ngram_counts(std::span<const Token> tokens, std::size_t order) {
  NgramCounts counts;
  for (std::size_t begin = 0; begin + order <= tokens.size(); ++begin) {
    std::string key;
    for (const Token& token : tokens.subspan(begin, order)) {
      key += token;
      key += '\xFF';
    }
    ++counts[std::move(key)];
  }
  return counts;
}

inline std::int64_t total_of(const NgramCounts& counts) {
  std::int64_t total = 0;
  for (const auto& [ngram, count] : counts) total += count;
  return total;
}

// Each n-gram as often as it occurs in both.
inline std::int64_t matches_of(const NgramCounts& a, const NgramCounts& b) {
  std::int64_t matches = 0;
  for (const auto& [ngram, count] : a) {
    const auto found = b.find(ngram);
    if (found != b.end()) matches += std::min(count, found->second);
  }
  return matches;
}

}  // namespace heed::metrics
