// SPDX-License-Identifier: Apache-2.0
// The log of a run: a progress line for who watches, plain lines for who does not, JSON for
// machines.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "heed/base/progress.h"
#include "heed/training/early_stopping.h"

namespace heed::training {

struct UpdateReport {
  std::int64_t update = 0;
  std::int64_t epoch = 1;  // the one under way, from 1
  double loss = 0;         // per unit of weight, since the last report
  double words_per_second = 0;
  double gradient_norm = 0;
  double learning_rate = 0;
  double seconds = 0;  // of training so far
  std::optional<double> seconds_left = {};
};

struct ValidationReport {
  std::int64_t update = 0;
  std::int64_t epoch = 1;
  Metrics metrics = {};
  bool best = false;
  double seconds = 0;
};

// "update 500  epoch 2  loss 2.3100  12345 words/s  norm 1.230  rate 3.00e-04  1 min 05 s left"
std::string text_of(const UpdateReport& report);

struct TrainingLogSetting {
  std::uint64_t total = 0;          // updates, when the run ends by them; 0: another end
  std::uint64_t first = 0;          // the update it resumes from
  std::filesystem::path json = {};  // empty: none
  std::function<void(std::string_view)> print = {};  // empty: to standard error
  ProgressSink sink = {};
};

// UsageError for a file that is there and holds something else than such a log, which would be
// lost.
void check_log_file(const std::filesystem::path& path);

// The JSON file has one object per line, whose "event" is "start", "update", "validation" or "end".
// A run that resumes takes the lines after its first update away: it will write them again.
// DataError when the file cannot be written.
class TrainingLog {
 public:
  explicit TrainingLog(const TrainingLogSetting& setting);

  // Redraws the progress line.
  void show(const UpdateReport& report);
  // A line to stay: to the JSON file, and to people unless they watch the progress line.
  void update(const UpdateReport& report);
  // Metrics are shown in the order of `kinds`.
  void validation(const ValidationReport& report, std::span<const MetricKind> kinds);
  void print(std::string_view line);
  void end(std::int64_t update, std::string_view reason);

 private:
  void write_json(const std::string& line);

  TrainingLogSetting setting_;
  Progress progress_;
  std::ofstream json_;
};

}  // namespace heed::training
