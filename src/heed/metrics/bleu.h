// SPDX-License-Identifier: Apache-2.0
// BLEU (Papineni et al. 2002), the same number that sacreBLEU 2 gives (Post 2018).
//
//   const Bleu bleu = corpus_bleu(hypotheses, {{references}});
//   bleu.score;      // 0 to 100
//   bleu.verbose();  // "BLEU = 27.34 60.1/33.0/21.2/14.5 (BP = 1.000 ratio = 1.012 ..."
#pragma once  // public header

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/metrics/bleu_tokens.h"

#pragma GCC visibility push(default)  // exported

namespace heed::metrics {

inline constexpr std::size_t kBleuOrders = 4;

struct BleuOptions {
  BleuTokens tokens = BleuTokens::v13a;
  bool lower_case = false;
};

// What BLEU is computed from. Those of sentences are added up to those of a corpus.
struct BleuStatistics {
  std::int64_t hypothesis_tokens = 0;
  std::int64_t reference_tokens = 0;  // of the reference nearest in length, the shorter of two
  std::array<std::int64_t, kBleuOrders> matches{};
  std::array<std::int64_t, kBleuOrders> ngrams{};  // of the hypothesis

  BleuStatistics& operator+=(const BleuStatistics& other);
  bool operator==(const BleuStatistics&) const = default;
};

struct Bleu {
  double score = 0;                              // 0 to 100
  std::array<double, kBleuOrders> precisions{};  // 0 to 100
  double brevity_penalty = 0;
  BleuStatistics statistics{};

  // "BLEU = 27.34 60.1/33.0/21.2/14.5 (BP = 1.000 ratio = 1.012 hyp_len = 65 ref_len = 64)"
  std::string verbose() const;
};

BleuStatistics bleu_statistics(std::string_view hypothesis, std::span<const std::string> references,
                               const BleuOptions& options = {});

// One for each sentence. `references` holds one or more sets, each as long as the hypotheses;
// UsageError otherwise.
std::vector<BleuStatistics> bleu_statistics(std::span<const std::string> hypotheses,
                                            std::span<const std::vector<std::string>> references,
                                            const BleuOptions& options = {});

// Orders without a match are smoothed: the first counts as 1/2 of a match, the second as 1/4, ...
// (method 3 of Chen & Cherry 2014).
Bleu bleu_of(const BleuStatistics& statistics);

Bleu corpus_bleu(std::span<const std::string> hypotheses,
                 std::span<const std::vector<std::string>> references,
                 const BleuOptions& options = {});

// Of one sentence: orders longer than the hypothesis do not count (sacreBLEU's effective order).
Bleu sentence_bleu(std::string_view hypothesis, std::span<const std::string> references,
                   const BleuOptions& options = {});

// What a reader must know to get the same number:
// "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:heed-0.1.0".
std::string bleu_signature(std::size_t references, const BleuOptions& options = {});

}  // namespace heed::metrics

#pragma GCC visibility pop
