// SPDX-License-Identifier: Apache-2.0
// chrF and chrF++ (Popović 2015, 2017), the same numbers that sacreBLEU 2 gives.
//
// The F-score of character n-grams, white space left out; chrF++ adds n-grams of words. Recall
// counts beta^2 times as much as precision.
#pragma once  // public header

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#pragma GCC visibility push(default)  // exported

namespace heed::metrics {

struct ChrfOptions {
  std::size_t character_order = 6;
  std::size_t word_order = 0;  // 2: chrF++
  double beta = 2;
  bool lower_case = false;
};

// Of one order of n-grams.
struct ChrfCounts {
  std::int64_t hypothesis = 0;
  std::int64_t reference = 0;
  std::int64_t matches = 0;

  ChrfCounts& operator+=(const ChrfCounts& other) {
    hypothesis += other.hypothesis;
    reference += other.reference;
    matches += other.matches;
    return *this;
  }
};

// Characters first, then words. Those of sentences are added up to those of a corpus.
using ChrfStatistics = std::vector<ChrfCounts>;

// Of several references, that with the best score.
ChrfStatistics chrf_statistics(std::string_view hypothesis, std::span<const std::string> references,
                               const ChrfOptions& options = {});

// 0 to 100: precision and recall are means over the orders that both sides have n-grams of.
double chrf_of(const ChrfStatistics& statistics, double beta);

// `references` holds one or more sets, each as long as the hypotheses; UsageError otherwise.
double corpus_chrf(std::span<const std::string> hypotheses,
                   std::span<const std::vector<std::string>> references,
                   const ChrfOptions& options = {});

double sentence_chrf(std::string_view hypothesis, std::span<const std::string> references,
                     const ChrfOptions& options = {});

// "chrF2", or "chrF2++" with words.
std::string chrf_name(const ChrfOptions& options = {});

// "nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|version:heed-0.1.0".
std::string chrf_signature(std::size_t references, const ChrfOptions& options = {});

}  // namespace heed::metrics

#pragma GCC visibility pop
