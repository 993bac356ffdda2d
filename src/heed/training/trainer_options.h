// SPDX-License-Identifier: Apache-2.0
// The options of training that every task has: optimiser, schedule, limits, validation, saving,
// logging.
#pragma once  // public header

#include <cstdint>
#include <string>
#include <vector>

#include "heed/base/options.h"
#include "heed/training/interval.h"
#include "heed/training/optimiser.h"
#include "heed/training/schedule.h"

#pragma GCC visibility push(default)  // exported

namespace heed::training {

struct TrainerOptions {
  // Limits; 0: none. Whichever is reached first ends the run.
  std::int64_t max_updates = 0;
  std::int64_t max_epochs = 0;
  double max_minutes = 0;

  std::string optimiser = "adam";
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  double momentum = 0;
  double weight_decay = 0;
  std::string decay_of = "all";
  double clip_norm = 0;
  double clip_each = 0;
  std::int64_t accumulate = 1;
  double ema = 0;
  ScheduleOptions schedule = {};

  std::string validate_every = "500";
  std::string early_stopping = "loss";
  std::int64_t patience = 10;

  std::string save_every = "500";
  std::int64_t keep_last = 2;
  bool reset = false;

  std::uint64_t seed = 1;
  std::int64_t log_every = 100;
  std::string log_json = "";

  // Registers every option with its help; this must outlive `options`.
  void declare(Options& options);

  // The update rule these options ask for.
  Method method() const;
  // The parameters it treats apart.
  std::vector<ParameterGroup> groups() const;
  // UsageError for what no single option shows: intervals, and schedules that lack a part.
  void check() const;
  // UsageError where nothing would ever end the training; `validates`: whether it has validation,
  // which patience listens to.
  void check_end(bool validates) const;
};

// The options that a run may change when it resumes: limits, saving and logging. What a task adds
// of its own (threads, say) it must name to the trainer.
const std::vector<std::string>& changeable_options();

}  // namespace heed::training

#pragma GCC visibility pop
