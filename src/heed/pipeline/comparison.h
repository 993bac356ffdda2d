// SPDX-License-Identifier: Apache-2.0
// Models of one task measured on the same data: how good, how large, how fast, and whether the
// difference would stand on other sentences.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "heed/metrics/paired_bootstrap.h"

namespace heed::pipeline {

// One measure of a model, by which sentences can be drawn again.
struct Measure {
  std::string name = {};           // "BLEU"
  bool lower_is_better = false;    // perplexity
  metrics::SampleMeasure on = {};  // of chosen sentences
};

struct Contestant {
  std::string name = {};
  std::string task = {};
  std::int64_t parameters = 0;
  std::uint64_t file_bytes = 0;
  std::string vocabulary = {};  // where measures depend on it
  std::size_t sentences = 0;    // of the data, as many for all
  std::string unit = {};        // of speed: "sentences/s"
  double units = 0;             // of the data
  double cpu_seconds = 0;       // all threads together
  double seconds = 0;
  std::vector<Measure> measures = {};  // the first one decides
};

struct ComparisonOptions {
  std::vector<std::string> data = {};  // translators: source and references; others: one file
  std::int64_t samples = 1000;
  std::uint64_t seed = 1;
};

// Measures every folder. Perplexity counts tokens, and is left out where vocabularies differ.
// UsageError for models of different tasks, for a task that cannot be compared, for masked words of
// different vocabularies, and for a wrong number of files.
std::vector<Contestant> measure_all(std::span<const std::filesystem::path> folders,
                                    const ComparisonOptions& options);

struct Standing {
  std::string measure = {};
  std::vector<metrics::Interval> intervals = {};       // of each contestant
  std::vector<metrics::PairedBootstrap> against = {};  // of each but the first, with the first
};

// One for each measure; UsageError when contestants have different ones. In `against` the second
// wins when it is better, whichever way that is.
std::vector<Standing> stand(std::span<const Contestant> contestants,
                            const ComparisonOptions& options);

}  // namespace heed::pipeline
