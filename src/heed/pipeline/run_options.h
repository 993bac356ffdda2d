// SPDX-License-Identifier: Apache-2.0
// The options of every training run, whatever its task: where its model goes, what it starts from,
// how long it learns.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "heed/base/options.h"
#include "heed/pipeline/model_folder.h"
#include "heed/pipeline/presets.h"
#include "heed/training/drawn_loss.h"
#include "heed/training/trainer_options.h"

#pragma GCC visibility push(default)  // exported

namespace heed::pipeline {

// A task's options begin with these: it derives from them and declares all its own on `list`.
struct RunOptions {
  std::string out;
  std::string preset;
  std::string init_from;
  std::int64_t examples = 4;
  bool choose = true;
  int threads = 0;
  bool dry_run = false;
  std::vector<std::string> seeds;  // several trainings: see repeat.h
  std::int64_t folds = 0;
  training::TrainerOptions trainer;
  training::DrawOptions draw;

  Options list;

  RunOptions() = default;
  RunOptions(const RunOptions&) = delete;
  RunOptions& operator=(const RunOptions&) = delete;

  ModelFolder folder() const { return {out}; }
  // Whether the folder has checkpoints that training will resume from.
  bool goes_on() const;
  // Gives options declared alike the values that `other` has set; for the copies of kinds' options,
  // whose list must be bound to their own variables.
  void copy_values(const RunOptions& other);

 protected:
  // Those above but the trainer's, which follow the task's own.
  void declare_run(std::span<const Preset> presets);
  // UsageError for a run without a folder, and for what no single option of training shows.
  void check_run() const;
};

// The options that may change when a run resumes, besides those of the trainer.
const std::vector<std::string>& changeable_run_options();

}  // namespace heed::pipeline

#pragma GCC visibility pop
