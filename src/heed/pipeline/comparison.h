// SPDX-License-Identifier: Apache-2.0
// Models of one kind measured on the same data: how good, how large, how fast, and whether the
// difference would hold on other sentences.
#pragma once  // public header

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "heed/metrics/paired_bootstrap.h"
#include "heed/pipeline/measure.h"

#pragma GCC visibility push(default)  // exported

namespace heed::pipeline {

struct ComparisonOptions {
  std::vector<std::string> data = {};  // the files that the kind is measured on
  // In what form the weights of each model are multiplied, of weight_form_names(); none: as they
  // are. The same folder may be measured in several.
  std::vector<std::string> weights = {};
  std::int64_t samples = 1000;
  std::uint64_t seed = 1;
};

// Measures every folder. What counts tokens, as perplexity does, is left out where vocabularies
// differ. UsageError for models of different kinds, for vocabularies that differ where a kind needs
// one, and for a wrong number of files.
std::vector<ComparedModel> measure_all(std::span<const std::filesystem::path> folders,
                                       const ComparisonOptions& options);

struct ComparedMeasure {
  std::string measure = {};
  std::vector<metrics::Interval> intervals = {};       // of each contestant
  std::vector<metrics::PairedBootstrap> against = {};  // of each but the first, with the first
};

// One for each measure; UsageError when models have different ones. In `against` the second
// wins when it is better, whichever way that is.
std::vector<ComparedMeasure> compare_measures(std::span<const ComparedModel> models,
                                              const ComparisonOptions& options);

}  // namespace heed::pipeline

#pragma GCC visibility pop
