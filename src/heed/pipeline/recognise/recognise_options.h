// SPDX-License-Identifier: Apache-2.0
// All options of `heed train recognise`. A model folder keeps it as config.toml.
#pragma once  // public header

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "heed/corpora/strips/strip_files.h"
#include "heed/models/strip_recogniser.h"
#include "heed/pipeline/presets.h"
#include "heed/pipeline/train.h"

#pragma GCC visibility push(default)  // exported

namespace heed::pipeline {

enum class StripTask { symbols, digits };
// "symbols", "digits", in the order of the enumerators.
const std::vector<std::string>& strip_task_names();

// What a model reads, as its folder keeps it.
struct LearntStrips {
  StripTask task = StripTask::symbols;
  std::int64_t height = 16;
  std::int64_t fewest = 3;  // labels of the strips it learnt from
  std::int64_t most = 8;

  corpora::StripForm form() const;
  void declare(Options& options);
  void write(const std::filesystem::path& file) const;
  // DataError that names the file.
  static LearntStrips read(const std::filesystem::path& file);
};
inline constexpr const char* kLearntStripsFile = "strips.toml";

struct RecogniseOptions : KindOptions {
  StripTask task = StripTask::symbols;
  std::string images;
  std::string labels;
  std::string valid_images;
  std::string valid_labels;
  std::int64_t fewest = 0;
  std::int64_t most = 0;
  std::int64_t batch = 32;
  std::int64_t epoch_batches = 500;
  std::int64_t valid_strips = 300;

  double dropout = 0;
  models::StripRecogniserOptions model;  // all but what the task decides

  RecogniseOptions();
  RecogniseOptions(const RecogniseOptions& other) : RecogniseOptions() { copy_values(other); }

  const ModelKind& kind() const override;
  void apply_preset() override;
  void check() const override;
  std::vector<std::string> data_files() const override;
  std::vector<text::DataPart> data_parts() const override;
  void take_data(std::span<const std::string> files) override;
  double suits(std::span<const std::string> files) const override;
  bool validates() const override { return valid_strips > 0; }
  nn::Parameters sketch(Random& random, std::int64_t tokens = 0) const override;
  std::unique_ptr<TrainingSetup> setup(const Print& print) const override;

  // Of strips of this height.
  LearntStrips learnt(std::int64_t height) const;
  models::StripRecogniserOptions model_for(const LearntStrips& strips) const;
  // Declares what makes a model what it is.
  void declare_model(Options& options);
};

std::span<const Preset> recognise_presets();

}  // namespace heed::pipeline

#pragma GCC visibility pop
