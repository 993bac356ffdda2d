// SPDX-License-Identifier: Apache-2.0
// Training of any kind of model: one procedure over what differs between kinds.
//
//   TranslationOptions options;
//   options.train_source = "train.en"; ...
//   train(options);
#pragma once  // public header

#include <memory>
#include <string>
#include <vector>

#include "heed/base/random.h"
#include "heed/nn/module.h"
#include "heed/pipeline/model_card.h"
#include "heed/pipeline/model_kind.h"
#include "heed/pipeline/run.h"
#include "heed/pipeline/run_options.h"

namespace heed::pipeline {

// A kind's half of a training, made once its data are known: vocabularies, the model, batches and
// validation.
class TrainingSetup {
 public:
  virtual ~TrainingSetup() = default;
  TrainingSetup(const TrainingSetup&) = delete;
  TrainingSetup& operator=(const TrainingSetup&) = delete;

  virtual nn::Parameters parameters() = 0;
  // Losses, the place in the data, validation; it refers to this. Parameters and saving are set by
  // train().
  virtual training::Task task() = 0;
  // What the model card says: model, attention, vocabulary, ...
  virtual CardFacts facts() = 0;
  virtual std::string data() const = 0;  // what was read, in words

 protected:
  TrainingSetup() = default;
};

// All options of the training of one kind.
struct KindOptions : RunOptions {
  virtual ~KindOptions() = default;

  virtual const ModelKind& kind() const = 0;
  // Takes from --init-from and the preset whatever nobody has set. UsageError for a preset that
  // there is not, naming the nearest.
  virtual void apply_preset() = 0;
  // UsageError for options that do not fit each other.
  virtual void check() const = 0;
  // Files whose content a resumed training must find unchanged; empty names are passed over.
  virtual std::vector<std::string> data_files() const = 0;
  // Parameters of the model they ask for, made without data: vocabularies have the size they may
  // have at most.
  virtual nn::Parameters sketch(Random& random) const = 0;
  // Reads the data; `print` gets a line on where weights start.
  virtual std::unique_ptr<TrainingSetup> setup(const Print& print) const = 0;

 protected:
  KindOptions() = default;
};

// Trains what the options ask for (presets applied already), or resumes where the same command was
// interrupted. `print` gets lines for people; standard error without it.
TrainingReport train(const KindOptions& options, const Print& print = nullptr);

}  // namespace heed::pipeline
