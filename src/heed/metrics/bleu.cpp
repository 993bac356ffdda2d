// SPDX-License-Identifier: Apache-2.0
// Counting matches, smoothing precisions, and the penalty for brevity.
#include "heed/metrics/bleu.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "heed/base/error.h"
#include "heed/metrics/characters.h"
#include "heed/metrics/ngrams.h"

namespace heed::metrics {
namespace {

std::vector<std::string> tokens_of(std::string_view line, const BleuOptions& options) {
  if (!options.lower_case) return bleu_tokens(line, options.tokens);
  return bleu_tokens(lower_case(line), options.tokens);
}

// `orders` of the precisions count.
Bleu scored(const BleuStatistics& statistics, std::size_t orders) {
  Bleu bleu;
  bleu.statistics = statistics;
  const auto hypothesis = static_cast<double>(statistics.hypothesis_tokens);
  const auto reference = static_cast<double>(statistics.reference_tokens);
  bleu.brevity_penalty = 1;
  if (hypothesis < reference) {
    bleu.brevity_penalty = hypothesis > 0 ? std::exp(1 - reference / hypothesis) : 0;
  }
  if (std::ranges::all_of(statistics.matches, [](auto n) { return n == 0; })) return bleu;
  double smoothing = 1;
  double logs = 0;
  for (std::size_t n = 0; n < orders; ++n) {
    const auto ngrams = static_cast<double>(statistics.ngrams[n]);
    if (ngrams == 0) return bleu;  // no n-grams, no precision: the score is 0
    auto matches = static_cast<double>(statistics.matches[n]);
    if (matches == 0) matches = 1 / (smoothing *= 2);
    bleu.precisions[n] = 100 * matches / ngrams;
    logs += std::log(bleu.precisions[n]);
  }
  bleu.score = bleu.brevity_penalty * std::exp(logs / static_cast<double>(orders));
  return bleu;
}

}  // namespace

BleuStatistics& BleuStatistics::operator+=(const BleuStatistics& other) {
  hypothesis_tokens += other.hypothesis_tokens;
  reference_tokens += other.reference_tokens;
  for (std::size_t n = 0; n < kBleuOrders; ++n) {
    matches[n] += other.matches[n];
    ngrams[n] += other.ngrams[n];
  }
  return *this;
}

std::string Bleu::verbose() const {
  const auto reference = static_cast<double>(statistics.reference_tokens);
  const auto hypothesis = static_cast<double>(statistics.hypothesis_tokens);
  return fmt::format(
      "BLEU = {:.2f} {:.1f}/{:.1f}/{:.1f}/{:.1f} (BP = {:.3f} ratio = {:.3f} hyp_len = {} "
      "ref_len = {})",
      score, precisions[0], precisions[1], precisions[2], precisions[3], brevity_penalty,
      reference > 0 ? hypothesis / reference : 0.0, statistics.hypothesis_tokens,
      statistics.reference_tokens);
}

BleuStatistics bleu_statistics(std::string_view hypothesis, std::span<const std::string> references,
                               const BleuOptions& options) {
  if (references.empty()) throw UsageError("BLEU: no reference; it takes one or more");
  const std::vector<std::string> tokens = tokens_of(hypothesis, options);
  BleuStatistics statistics;
  statistics.hypothesis_tokens = static_cast<std::int64_t>(tokens.size());
  std::array<NgramCounts, kBleuOrders> allowed;  // the most of each n-gram in any one reference
  std::int64_t nearest = -1;
  for (const std::string& reference : references) {
    const std::vector<std::string> others = tokens_of(reference, options);
    const auto length = static_cast<std::int64_t>(others.size());
    const std::int64_t distance = std::abs(length - statistics.hypothesis_tokens);
    if (nearest < 0 || distance < nearest ||
        (distance == nearest && length < statistics.reference_tokens)) {
      nearest = distance;
      statistics.reference_tokens = length;
    }
    for (std::size_t n = 0; n < kBleuOrders; ++n) {
      for (const auto& [ngram, count] : ngram_counts<std::string>(others, n + 1)) {
        std::int64_t& most = allowed[n][ngram];
        most = std::max(most, count);
      }
    }
  }
  for (std::size_t n = 0; n < kBleuOrders; ++n) {
    const NgramCounts found = ngram_counts<std::string>(tokens, n + 1);
    statistics.ngrams[n] = total_of(found);
    statistics.matches[n] = matches_of(found, allowed[n]);
  }
  return statistics;
}

std::vector<BleuStatistics> bleu_statistics(std::span<const std::string> hypotheses,
                                            std::span<const std::vector<std::string>> references,
                                            const BleuOptions& options) {
  for (const std::vector<std::string>& set : references) {
    if (set.size() != hypotheses.size()) {
      throw UsageError("BLEU: {} hypotheses, {} references; it takes one for each",
                       hypotheses.size(), set.size());
    }
  }
  std::vector<BleuStatistics> all;
  all.reserve(hypotheses.size());
  std::vector<std::string> own(references.size());
  for (std::size_t i = 0; i < hypotheses.size(); ++i) {
    for (std::size_t set = 0; set < references.size(); ++set) own[set] = references[set][i];
    all.push_back(bleu_statistics(hypotheses[i], own, options));
  }
  return all;
}

Bleu bleu_of(const BleuStatistics& statistics) {
  return scored(statistics, kBleuOrders);
}

Bleu corpus_bleu(std::span<const std::string> hypotheses,
                 std::span<const std::vector<std::string>> references, const BleuOptions& options) {
  BleuStatistics sum;
  for (const auto& each : bleu_statistics(hypotheses, references, options)) sum += each;
  return bleu_of(sum);
}

Bleu sentence_bleu(std::string_view hypothesis, std::span<const std::string> references,
                   const BleuOptions& options) {
  const BleuStatistics statistics = bleu_statistics(hypothesis, references, options);
  const auto orders = static_cast<std::size_t>(
      std::ranges::count_if(statistics.ngrams, [](auto n) { return n > 0; }));
  return scored(statistics, orders);
}

std::string bleu_signature(std::size_t references, const BleuOptions& options) {
  return fmt::format("nrefs:{}|case:{}|eff:no|tok:{}|smooth:exp|version:heed-{}", references,
                     options.lower_case ? "lc" : "mixed", name_of(options.tokens), HEED_VERSION);
}

}  // namespace heed::metrics
