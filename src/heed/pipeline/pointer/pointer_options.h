// SPDX-License-Identifier: Apache-2.0
// All options of `heed train pointer`. A model folder keeps it as config.toml.
#pragma once  // public header

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "heed/corpora/points/point_sets.h"
#include "heed/models/point_model.h"
#include "heed/pipeline/presets.h"
#include "heed/pipeline/train.h"

#pragma GCC visibility push(default)  // exported

namespace heed::pipeline {

// What is learnt from: the right answers, or the lengths of the tours it draws itself.
enum class PointLearning { targets, reinforce };
// "targets", "reinforce", in the order of the enumerators.
const std::vector<std::string>& point_learning_names();

// Names of tasks: "hull", "tour", "sort", "given", in the order of the enumerators.
const std::vector<std::string>& point_task_names();

// What a model points at, as its folder keeps it: of a file that is seen only in its answers.
struct PointForm {
  corpora::PointTask task = corpora::PointTask::hull;
  std::int64_t least = 3;   // points before an answer may end; 0: all of them
  std::int64_t fewest = 5;  // points of the sets it learnt from
  std::int64_t most = 5;

  void declare(Options& options);
  void write(const std::filesystem::path& file) const;
  // DataError that names the file.
  static PointForm read(const std::filesystem::path& file);
};
inline constexpr const char* kPointFormFile = "points.toml";

struct PointerOptions : KindOptions {
  std::string task = "hull";  // or a file
  std::string valid;
  std::int64_t points = 5;
  std::int64_t most_points = 0;
  std::int64_t valid_sets = 1000;
  std::int64_t batch = 128;
  std::int64_t epoch_batches = 2500;

  models::PointModelOptions model;  // all but what the task decides
  PointLearning learn = PointLearning::targets;
  std::int64_t baseline_sets = 10'000;

  PointerOptions();
  PointerOptions(const PointerOptions& other) : PointerOptions() { copy_values(other); }

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
  std::optional<corpora::PointTask> made_task() const;
  // Of a task that is made.
  PointForm form() const;
  models::PointModelOptions model_for(const PointForm& form) const;
  // Declares what makes a model what it is.
  void declare_model(Options& options);
};

std::span<const Preset> pointer_presets();

}  // namespace heed::pipeline

#pragma GCC visibility pop
