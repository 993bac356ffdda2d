// SPDX-License-Identifier: Apache-2.0
// Tuning: a random search over options of a training (Bergstra 2012) in which only the best trials
// go on, by successive halving (Jamieson 2016).
//
// A search space is a config file with one more table:
//
//   train = "train.tsv"
//   valid = "valid.tsv"
//   preset = "lstm-additive"
//   max-updates = 900
//
//   [ranges]
//   hidden = [64, 128, 256]                                    # one of these
//   dropout = {low = 0.0, high = 0.5}                          # uniform
//   learning-rate = {low = 1e-4, high = 1e-2, scale = "log"}   # uniform in its logarithm
#pragma once  // public header

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heed/pipeline/model_kind.h"
#include "heed/pipeline/run.h"

#pragma GCC visibility push(default)  // exported

namespace heed::pipeline {

// The values that an option is tried with: one of some, or a number of a range.
struct TunedOption {
  std::string name{};
  std::vector<std::string> choices{};  // as TOML writes them
  double low = 0;
  double high = 0;
  bool logarithmic = false;
  bool whole = false;
};

struct SearchSpace {
  std::string fixed{};  // the other options, as TOML
  std::vector<TunedOption> ranges{};
};

// UsageError with the line for a range that is none.
SearchSpace read_search_space(std::string_view text, const std::string& name);

using OptionValues = std::vector<std::pair<std::string, std::string>>;  // as TOML writes them
// The values of a trial; the same seed and number give the same.
OptionValues drawn_values(const SearchSpace& space, std::uint64_t seed, std::int64_t trial);

struct TuneOptions {
  std::string out{};
  std::int64_t trials = 12;
  std::int64_t rungs = 3;  // after each but the last, a third of the trials goes on
  std::string metric{};    // empty: that of early stopping
  std::uint64_t seed = 1;  // of the draws; trainings keep theirs
};

struct Trial {
  std::int64_t number = 0;
  std::int64_t rung = 0;     // the last it reached
  std::int64_t updates = 0;  // that it was allowed
  double value = 0;          // of the metric
  OptionValues values{};
  std::string out{};
};

struct TuneReport {
  std::string metric{};
  std::vector<Trial> trials{};  // the best first: by rung, then by value
  bool interrupted = false;
  int signal = 0;  // that interrupted it
};

// Runs the trials below `out`: all for a share of max-updates, the best third of them for three
// times as long, and so on; a trial that goes on resumes. What has been measured is kept in
// trials.tsv, so that the same call resumes a search that was interrupted; another space in the
// same folder is a UsageError, and so is a space without max-updates.
TuneReport tune(const ModelKind& kind, const SearchSpace& space, const TuneOptions& options,
                const Print& print = nullptr);

}  // namespace heed::pipeline

#pragma GCC visibility pop
