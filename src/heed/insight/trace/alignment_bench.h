// SPDX-License-Identifier: Apache-2.0
// The alignment bench: how well each head of a trace, and what heads say together, agrees with gold
// word alignments, and which one agrees best.
//
//   const AlignmentBench bench = alignment_bench(document, gold);
//   bench.best().score.error_rate();
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "heed/insight/trace/attention_quality.h"
#include "heed/insight/trace/trace_document.h"
#include "heed/metrics/alignment.h"

#pragma GCC visibility push(default)  // exported

namespace heed::insight {

// Which query of a decoder speaks for a token: the one that wrote it, or the next, which has read
// it (Chen 2020, "Accurate Word Alignment Induction from Neural Machine Translation", section 3).
// Transformers that say nothing of a token before they have seen it align by the second.
enum class TokenQuery { wrote, read };

// One head, or several taken together.
struct AlignedLook {
  std::string name{};                    // "layer 1 head 0", "layer 1 mean", "all max"
  std::optional<int> layer{};            // not given: all of them
  std::optional<int> head{};             // not given: all of them
  TokenQuery query = TokenQuery::wrote;  // the better one
  metrics::AlignmentScore score{};       // by that
  metrics::AlignmentScore wrote{};
  std::optional<metrics::AlignmentScore> read{};  // where there are steps
  AttentionQuality quality{};                     // the mean over all examples
};

struct AlignmentBench {
  std::string model{};
  std::size_t examples = 0;
  // Every head by layer; then mean and largest weights of each layer with several heads, and of all
  // where there are several layers.
  std::vector<AlignedLook> looks{};

  // The one with the lowest error rate, the first of equals; of heads alone, or of all.
  const AlignedLook& best_head() const;
  const AlignedLook& best() const;
};

// Of the attentions of this kind, with the gold links of each example. Each target token is linked
// to the source token it gives the largest weight; links of tokens become links of their words, and
// a token that belongs to no word has none. UsageError when an example has no such attention, other
// heads than the first, or no gold.
AlignmentBench alignment_bench(const TraceDocument& document, std::span<const text::Alignment> gold,
                               const std::string& kind = "cross");

// A line for each look, the best marked, and below what the columns mean.
std::string alignment_table(std::span<const AlignmentBench> systems);

}  // namespace heed::insight

#pragma GCC visibility pop
