// SPDX-License-Identifier: Apache-2.0
// All options of `heed train glimpse`. A model folder keeps it as config.toml.
#pragma once  // public header

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "heed/corpora/canvases/canvases.h"
#include "heed/models/glimpse_options.h"
#include "heed/pipeline/presets.h"
#include "heed/pipeline/train.h"

#pragma GCC visibility push(default)  // exported

namespace heed::pipeline {

// What a model looks at, as its folder keeps it.
struct LearntCanvases {
  std::int64_t height = 28, width = 28, channels = 1;  // of a canvas
  std::vector<std::string> names;                      // of the classes
  corpora::CanvasOptions canvas{.side = 0};            // how canvases are made of images

  void declare(Options& options);
  void write(const std::filesystem::path& file) const;
  // DataError that names the file.
  static LearntCanvases read(const std::filesystem::path& file);
};
inline constexpr const char* kLearntCanvasesFile = "canvases.toml";

struct GlimpseTrainOptions : KindOptions {
  std::string images;
  std::string labels;
  std::string valid_images;
  std::string valid_labels;
  corpora::CanvasOptions canvas{.side = 0};
  std::int64_t batch = 128;
  std::int64_t valid_canvases = 5000;

  models::GlimpseNetworkOptions model;  // all but what the data decide
  double reinforce = .01;               // c, the weight of the policy's loss
  models::GlimpseReward reward = models::GlimpseReward::right;

  GlimpseTrainOptions();
  GlimpseTrainOptions(const GlimpseTrainOptions& other) : GlimpseTrainOptions() {
    copy_values(other);
  }

  const ModelKind& kind() const override;
  void apply_preset() override;
  void check() const override;
  std::vector<std::string> data_files() const override;
  std::vector<text::DataPart> data_parts() const override;
  void take_data(std::span<const std::string> files) override;
  double suits(std::span<const std::string> files) const override;
  bool validates() const override { return valid_canvases > 0; }
  nn::Parameters sketch(Random& random, std::int64_t tokens = 0) const override;
  std::unique_ptr<TrainingSetup> setup(const Print& print) const override;

  models::GlimpseNetworkOptions model_for(const LearntCanvases& canvases) const;
  // Declares what makes a model what it is.
  void declare_model(Options& options);
};

std::span<const Preset> glimpse_presets();

}  // namespace heed::pipeline

#pragma GCC visibility pop
