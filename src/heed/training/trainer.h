// SPDX-License-Identifier: Apache-2.0
// The trainer: updates, validates, saves and logs any task, and resumes where a run was
// interrupted, to the same bits.
#pragma once  // public header

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "heed/base/progress.h"
#include "heed/base/random.h"
#include "heed/nn/module.h"
#include "heed/training/curve.h"
#include "heed/training/early_stopping.h"
#include "heed/training/trainer_options.h"

#pragma GCC visibility push(default)  // exported

namespace heed::training {

// The loss of one batch.
struct BatchLoss {
  Variable loss;            // a number: the sum over what `weight` counts
  double weight = 0;        // target tokens, sentences, ...: the loss per unit is what falls
  double words = 0;         // read in this batch, for words/s
  bool ends_epoch = false;  // whether this was the last batch of a pass over the data
  // Times the learning rate of the schedule, for tasks that learn in phases of their own; of the
  // last batch where several make an update.
  double rate = 1;
};

// What is to be learnt. The trainer alone changes the parameters; all else is a function of them,
// of the random numbers handed over, and of the place in the data.
struct Task {
  nn::Parameters parameters;
  // The next batch of training data, which have no end. Noise (dropout) comes from `noise`.
  std::function<BatchLoss(Random& noise)> next_batch_loss;
  // The place in the data as a text that seek() understands, in UTF-8: after it, the same batches.
  std::function<std::string()> position;
  std::function<void(const std::string& position)> seek;
  // What the next batch depends on besides its place, where there is such: states carried from one
  // batch to the next. A checkpoint keeps it; carry() comes after seek().
  std::function<std::map<std::string, Tensor>()> carried = {};
  std::function<void(const std::map<std::string, Tensor>& carried)> carry = {};
  // The last batch in words, such as "lines 17, 4, 99"; used when it gave a NaN.
  std::function<std::string()> describe_batch = {};

  // What validate() gives, in the order it is shown; without any, the latest model is the best.
  std::vector<MetricKind> metrics = {};
  std::function<Metrics()> validate = {};
  // Lines to show after a validation.
  std::function<std::string()> samples = {};
  // Writes the model as it is now. Called when it is the best so far.
  std::function<void()> save_model = {};
};

// Where a run leaves its files, and what it must have in common with the run it resumes from.
struct TrainingRun {
  // The model's folder; checkpoints/ is written there.
  std::filesystem::path folder;
  // All options as Options::to_toml() writes them. Only changeable_options() and those of
  // `changeable` may differ from those of the run it resumes from.
  std::string config = {};
  std::vector<std::string> changeable = {};
  // Fingerprints of the data as lines `NAME = VALUE`; none may differ.
  std::string data = {};
  // Gets the curve as it grows, after each validation and at the end.
  std::function<void(const Curve& curve)> draw = {};
  // Human-readable lines: standard error unless somebody else wants them.
  std::function<void(std::string_view line)> print = {};
  ProgressSink sink = terminal_sink();
};

enum class Ending { limit, early_stopping, interrupted };

struct Outcome {
  Ending ending = Ending::limit;
  int signal = 0;            // that interrupted it
  std::int64_t updates = 0;  // since the very beginning
  std::int64_t epochs = 0;   // completed
  std::int64_t best_update = 0;
  Metrics best = {};  // all metrics of the best validation
};

// Trains until a limit is reached, validation has not improved for too long, or SIGINT or SIGTERM
// asks to stop. Then the update or validation under way is given up, what was finished before it is
// saved, and the run ends; a second signal kills, and so does the first where a single operation
// lasts too long (see Interruption). In a folder with checkpoints it resumes from the newest whole
// one, and gives the same weights as a run that was never interrupted.
//
// UsageError: options out of range; no limit at all; another config or other data than those of the
// checkpoint; a loss or gradient that is not finite (checkpoints stay as they are). DataError:
// a validation whose loss is not finite, or a run whose every validation is not a finite number; a
// file that cannot be written or read.
Outcome train(const Task& task, const TrainerOptions& options, const TrainingRun& run);

}  // namespace heed::training

#pragma GCC visibility pop
