// SPDX-License-Identifier: Apache-2.0
// The run of a training, whatever its task: resumed, validated and saved as a model folder.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/pipeline/model_card.h"
#include "heed/pipeline/print.h"
#include "heed/pipeline/run_options.h"
#include "heed/training/trainer.h"

namespace heed::pipeline {

void say(const Print& print, std::string_view line);

struct TrainingReport {
  training::Outcome outcome;
  std::int64_t parameters = 0;
  bool dry_run = false;                         // nothing was trained
  std::vector<training::MetricKind> metrics{};  // what validation measures, and what is better
  std::string data{};  // what was read: "29000 pairs, 431210 + 402113 tokens, padding 9.4%"
};

// What a task adds to a run.
struct RunFrame {
  std::string task;                                         // of the model folder
  std::string data;                                         // fingerprints
  std::function<ModelCard(const training::Metrics&)> card;  // of the model as measured last
  std::vector<std::string> examples{};                      // see examples.h
  std::function<std::int64_t()> longest{};                  // TrainingSetup's
  std::function<CardFacts()> choose{};                      // of the finished model, likewise
  Print print{};
};

// Trains `task`, whose save_model is set here: config, weights and card. UsageError and DataError
// as of training::train.
training::Outcome run_training(const RunOptions& options, training::Task task,
                               const RunFrame& frame);

// Fingerprints of the files that are named, as lines `FILE = FINGERPRINT`.
std::string data_fingerprint(std::span<const std::string> files);

// A place in the data as a checkpoint keeps it: its numbers with spaces between; and back,
// DataError unless there are this many.
std::string written_place(std::span<const std::uint64_t> numbers);
std::vector<std::uint64_t> place_numbers(const std::string& written, std::size_t count);

}  // namespace heed::pipeline
