// SPDX-License-Identifier: Apache-2.0
// Training of any kind of model: one procedure over what differs between kinds.
//
//   TranslationOptions options;
//   options.train_source = "train.en"; ...
//   train(options);
#pragma once  // public header

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "heed/base/random.h"
#include "heed/nn/module.h"
#include "heed/pipeline/model_card.h"
#include "heed/pipeline/model_kind.h"
#include "heed/pipeline/run.h"
#include "heed/pipeline/run_options.h"
#include "heed/text/data_check.h"
#include "heed/text/tokeniser.h"

#pragma GCC visibility push(default)  // exported

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
  // Of the model: one or two; none where it does not read text.
  virtual std::vector<const text::Tokeniser*> tokenisers() const { return {}; }
  // Batches of an epoch, as far as the data have been read: once the first batch has been given, of
  // a small corpus all.
  virtual std::uint64_t epoch_batches() const = 0;
  // Bytes of memory that grow with the data: of texts that are kept whole.
  virtual std::uint64_t data_bytes() const { return 0; }
  // Texts to try the model with, as its verb reads them, as many as --examples asks for; none
  // without any held out.
  virtual std::vector<std::string> examples() const { return {}; }
  // Writes the files of the kind, vocabularies and labels. Nothing was written before: a start that
  // fails leaves nothing behind.
  virtual void save_files(const ModelFolder&) const {}
  // What validation says of how the finished model is best used, its folder being `folder`: written
  // there (choices.h), said to `print`, and given as rows of the card.
  virtual CardFacts choose(const ModelFolder&, const Print&) { return {}; }
  // Tokens of the longest text that was learnt from so far; 0: texts have no length of their own.
  virtual std::int64_t longest() const { return 0; }

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
  // The data as this kind reads them, training first; none where it makes them itself. Looks at the
  // files' heads.
  virtual std::vector<text::DataPart> data_parts() const = 0;
  // Takes these files for its training and, where there are more, its validation data. UsageError
  // for a number of files that it does not take.
  virtual void take_data(std::span<const std::string> files) = 0;
  // How well the names and heads of these files fit what this kind learns from: 0 not at all, 1
  // entirely. They need not be taken.
  virtual double suits(std::span<const std::string> files) const = 0;
  // Whether there will be validation, which --patience listens to.
  virtual bool validates() const = 0;
  // Parameters of the model they ask for, made without data: with vocabularies of so many tokens;
  // 0: as many as they may have at most. UsageError for a model that cannot be.
  virtual nn::Parameters sketch(Random& random, std::int64_t vocabulary = 0) const = 0;
  // Reads the data and writes nothing; `print` gets a line on where weights start.
  virtual std::unique_ptr<TrainingSetup> setup(const Print& print) const = 0;

 protected:
  KindOptions() = default;
};

// UsageError or DataError for whatever is wrong without a look at the data: options, shapes and
// mechanisms of the model, the folder, the model to start from.
void check_before_data(const KindOptions& options);

// Trains what the options ask for (presets applied already), or resumes where the same command was
// interrupted. A new training begins with a short check of its data (data_check.h); with --dry-run
// it ends there, with what a training would take, and nothing is written. `print` gets lines for
// people; standard error without it.
TrainingReport train(const KindOptions& options, const Print& print = nullptr);

}  // namespace heed::pipeline

#pragma GCC visibility pop
