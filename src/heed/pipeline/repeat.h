// SPDX-License-Identifier: Apache-2.0
// Several trainings of one kind of model: over seeds, over the folds of cross-validation, and what
// their figures have in common.
#pragma once  // public header

#include <span>
#include <string>
#include <vector>

#include "heed/pipeline/train.h"

#pragma GCC visibility push(default)  // exported

namespace heed::pipeline {

struct Repetition {
  std::string name{};  // "seed 1", "fold 2", "seed 1, fold 2"
  std::string out{};   // its model folder
  TrainingReport report{};
};

// Whether the options ask for several trainings.
bool is_repeated(const KindOptions& options);

// Trains once for each of --seeds and --folds, each in a folder of its own below --out, and resumes
// where the same command was interrupted. Ends after a training that was interrupted. UsageError
// for a seed that is not a number or comes twice, for one fold, and for folds beside validation
// data of their own or of a kind that holds no lines out.
std::vector<Repetition> train_repeatedly(const KindOptions& options, const Print& print = nullptr);

struct Spread {
  std::string metric{};
  double mean = 0;
  double deviation = 0;  // of the runs, with n - 1; 0 for one run
  double lowest = 0;
  double highest = 0;
};

// Of each metric that every run has measured.
std::vector<Spread> spreads(std::span<const Repetition> runs);

}  // namespace heed::pipeline

#pragma GCC visibility pop
