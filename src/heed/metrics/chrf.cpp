// SPDX-License-Identifier: Apache-2.0
// Counting n-grams of characters and words, and their F-score.
#include "heed/metrics/chrf.h"

#include <fmt/format.h>

#include "heed/base/error.h"
#include "heed/metrics/characters.h"
#include "heed/metrics/ngrams.h"

namespace heed::metrics {
namespace {

bool is_punctuation(char c) {
  return (c >= '!' && c <= '/') || (c >= ':' && c <= '@') || (c >= '[' && c <= '`') ||
         (c >= '{' && c <= '~');
}

// One mark is cut off each word, the last if there is one, else the first: of "(so)" the last.
std::vector<std::string_view> words_and_marks(std::string_view line) {
  std::vector<std::string_view> found;
  for (const std::string_view word : words(line)) {
    const bool alone = characters(word).size() == 1;
    if (!alone && is_punctuation(word.back())) {
      found.push_back(word.substr(0, word.size() - 1));
      found.push_back(word.substr(word.size() - 1));
    } else if (!alone && is_punctuation(word.front())) {
      found.push_back(word.substr(0, 1));
      found.push_back(word.substr(1));
    } else {
      found.push_back(word);
    }
  }
  return found;
}

// N-gram counts of every order, characters first.
std::vector<NgramCounts> counts_of(std::string_view text, const ChrfOptions& options) {
  const std::string line = options.lower_case ? lower_case(text) : std::string(text);
  std::vector<std::string_view> letters = characters(line);
  std::erase_if(letters, is_space);
  std::vector<NgramCounts> counts;
  for (std::size_t n = 1; n <= options.character_order; ++n) {
    counts.push_back(ngram_counts<std::string_view>(letters, n));
  }
  if (options.word_order == 0) return counts;
  const std::vector<std::string_view> tokens = words_and_marks(line);
  for (std::size_t n = 1; n <= options.word_order; ++n) {
    counts.push_back(ngram_counts<std::string_view>(tokens, n));
  }
  return counts;
}

}  // namespace

ChrfStatistics chrf_statistics(std::string_view hypothesis, std::span<const std::string> references,
                               const ChrfOptions& options) {
  if (references.empty()) throw UsageError("chrF: no reference; it takes one or more");
  const std::vector<NgramCounts> found = counts_of(hypothesis, options);
  ChrfStatistics best;
  double best_score = -1;
  for (const std::string& reference : references) {
    const std::vector<NgramCounts> wanted = counts_of(reference, options);
    ChrfStatistics statistics;
    for (std::size_t i = 0; i < found.size(); ++i) {
      const std::int64_t total = total_of(wanted[i]);
      statistics.push_back({.hypothesis = total > 0 ? total_of(found[i]) : 0,
                            .reference = total,
                            .matches = matches_of(found[i], wanted[i])});
    }
    const double score = chrf_of(statistics, options.beta);
    if (score <= best_score) continue;
    best_score = score;
    best = std::move(statistics);
  }
  return best;
}

double chrf_of(const ChrfStatistics& statistics, double beta) {
  double precision = 0;
  double recall = 0;
  double orders = 0;
  for (const ChrfCounts& counts : statistics) {
    if (counts.hypothesis == 0 || counts.reference == 0) continue;
    const auto matches = static_cast<double>(counts.matches);
    precision += matches / static_cast<double>(counts.hypothesis);
    recall += matches / static_cast<double>(counts.reference);
    ++orders;
  }
  if (precision + recall == 0) return 0;
  precision /= orders;
  recall /= orders;
  const double factor = beta * beta;
  return 100 * (1 + factor) * precision * recall / (factor * precision + recall);
}

double corpus_chrf(std::span<const std::string> hypotheses,
                   std::span<const std::vector<std::string>> references,
                   const ChrfOptions& options) {
  for (const std::vector<std::string>& set : references) {
    if (set.size() != hypotheses.size()) {
      throw UsageError("chrF: {} hypotheses, {} references; it takes one for each",
                       hypotheses.size(), set.size());
    }
  }
  ChrfStatistics sum(options.character_order + options.word_order);
  std::vector<std::string> own(references.size());
  for (std::size_t i = 0; i < hypotheses.size(); ++i) {
    for (std::size_t set = 0; set < references.size(); ++set) own[set] = references[set][i];
    const ChrfStatistics each = chrf_statistics(hypotheses[i], own, options);
    for (std::size_t order = 0; order < sum.size(); ++order) sum[order] += each[order];
  }
  return chrf_of(sum, options.beta);
}

double sentence_chrf(std::string_view hypothesis, std::span<const std::string> references,
                     const ChrfOptions& options) {
  return chrf_of(chrf_statistics(hypothesis, references, options), options.beta);
}

std::string chrf_name(const ChrfOptions& options) {
  return fmt::format("chrF{:g}{}", options.beta, options.word_order > 0 ? "++" : "");
}

std::string chrf_signature(std::size_t references, const ChrfOptions& options) {
  return fmt::format("nrefs:{}|case:{}|eff:yes|nc:{}|nw:{}|space:no|version:heed-{}", references,
                     options.lower_case ? "lc" : "mixed", options.character_order,
                     options.word_order, HEED_VERSION);
}

}  // namespace heed::metrics
