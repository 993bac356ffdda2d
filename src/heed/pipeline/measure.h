// SPDX-License-Identifier: Apache-2.0
// What a model was measured to be: quality by which sentences can be drawn again, size and speed. A
// kind fills it in by Model::measure with what is here.
#pragma once

#include <chrono>
#include <cstdint>
#include <ctime>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/metrics/paired_bootstrap.h"

namespace heed::pipeline {

using Sentences = std::span<const std::size_t>;

// One measure of a model, by which sentences can be drawn again.
struct Measure {
  std::string name = {};           // "BLEU"
  bool lower_is_better = false;    // perplexity
  metrics::SampleMeasure on = {};  // of chosen sentences
  bool of_tokens = false;          // it counts tokens: only models of one vocabulary compare by it
};

struct ComparedModel {
  std::string name = {};
  std::string task = {};
  std::int64_t parameters = 0;
  std::uint64_t file_bytes = 0;
  std::string vocabulary = {};  // where measures depend on it
  // Why models of other vocabularies cannot be compared with it at all; empty: they can.
  std::string vocabulary_needed = {};
  std::size_t sentences = 0;  // of the data, as many for all
  std::string unit = {};      // of speed: "sentences/s"
  double units = 0;           // of the data
  double cpu_seconds = 0;     // all threads together
  double seconds = 0;
  std::vector<Measure> measures = {};  // the first one decides
};

// Σ top / Σ bottom over sentences, then `last`.
Measure ratio(std::string name, std::vector<double> top, std::vector<double> bottom,
              double (*last)(double));
double percent(double share);

// The time between its making and stop().
class Stopwatch {
 public:
  void stop(ComparedModel& contestant) const;

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::clock_t cpu_ = std::clock();
};

// UsageError, which ends in `what`, unless there are this many files.
void require_files(std::span<const std::string> files, std::size_t count, std::string_view what);

}  // namespace heed::pipeline
