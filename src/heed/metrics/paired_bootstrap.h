// SPDX-License-Identifier: Apache-2.0
// Paired bootstrap (Koehn 2004): how surely the better of two systems is better on other sentences.
#pragma once  // public header

#include <cstdint>
#include <functional>
#include <span>

#include "heed/base/random.h"
#include "heed/metrics/bleu.h"

#pragma GCC visibility push(default)  // exported

namespace heed::metrics {

struct PairedBootstrap {
  double first = 0;       // of all sentences
  double second = 0;      // likewise
  double first_wins = 0;  // share of the samples, 0 to 1; ties count half for each
  double second_wins = 0;
  double difference_low = 0;  // second less first: 95% of the samples lie from low to high
  double difference_high = 0;
};

// A system's measure on these sentences, some of them several times.
using SampleMeasure = std::function<double(std::span<const std::size_t> sentences)>;

// Draws as many of the `count` sentences as there are, with replacement and the same for both
// systems, `samples` times over; the larger measure wins. UsageError for no sentence and no sample.
PairedBootstrap paired_bootstrap(std::size_t count, const SampleMeasure& first,
                                 const SampleMeasure& second, Random& random,
                                 std::int64_t samples = 1000);

struct Interval {
  double value = 0;  // of all sentences
  double low = 0;    // 95% of the samples lie from low to high
  double high = 0;
};

// The same for one system.
Interval bootstrap_interval(std::size_t count, const SampleMeasure& measure, Random& random,
                            std::int64_t samples = 1000);

// By BLEU. Draws as many sentences as there are, with replacement and the same for both systems,
// `samples` times over. UsageError for unequal counts, for no sentence and for no sample.
PairedBootstrap paired_bootstrap(std::span<const BleuStatistics> first,
                                 std::span<const BleuStatistics> second, Random& random,
                                 std::int64_t samples = 1000);

}  // namespace heed::metrics

#pragma GCC visibility pop
