// SPDX-License-Identifier: Apache-2.0
// All options of `heed train machine`. A model folder keeps it as config.toml.
#pragma once  // public header

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "heed/corpora/bits/bit_tasks.h"
#include "heed/pipeline/machine/bit_model.h"
#include "heed/pipeline/presets.h"
#include "heed/pipeline/train.h"

#pragma GCC visibility push(default)  // exported

namespace heed::pipeline {

// Names of tasks: "copy", "repeat-copy", "recall", "ngrams", "sort", "given".
const std::vector<std::string>& bit_task_names();

// The form of a task as a model folder keeps it. DataError that names the file.
void write_form(const corpora::BitForm& form, const std::filesystem::path& file);
corpora::BitForm read_form(const std::filesystem::path& file);
inline constexpr const char* kBitFormFile = "bits.toml";

struct MachineOptions : KindOptions {
  std::string task = "copy";  // or a file
  std::string valid;
  std::int64_t bits = 0;
  std::int64_t shortest = 0;
  std::int64_t longest = 0;
  std::int64_t most_repeats = 10;
  std::int64_t valid_sequences = 100;
  std::int64_t batch = 32;
  std::int64_t epoch_batches = 1000;
  BitModelOptions model;  // all but what the task decides

  MachineOptions();
  MachineOptions(const MachineOptions& other) : MachineOptions() { copy_values(other); }

  const ModelKind& kind() const override;
  void apply_preset() override;
  void check() const override;
  std::vector<std::string> data_files() const override;
  std::vector<text::DataPart> data_parts() const override;
  void take_data(std::span<const std::string> files) override;
  double suits(std::span<const std::string> files) const override;
  bool validates() const override;
  nn::Parameters sketch(Random& random, std::int64_t tokens = 0) const override;
  std::unique_ptr<TrainingSetup> setup(const Print& print) const override;

  // The task that is made, or none: it is a file's.
  std::optional<corpora::BitTask> made_task() const;
  // Of a task that is made.
  corpora::BitForm form() const;
  BitModelOptions model_for(const corpora::BitForm& form) const;
  // Declares what makes a model what it is.
  void declare_model(Options& options);
};

std::span<const Preset> machine_presets();

}  // namespace heed::pipeline

#pragma GCC visibility pop
