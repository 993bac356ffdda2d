// SPDX-License-Identifier: Apache-2.0
// All options of `heed train look`. A model folder keeps it as config.toml.
#pragma once  // public header

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "heed/corpora/canvases/canvases.h"
#include "heed/corpora/scenes/target_scene.h"
#include "heed/images/image_folder.h"
#include "heed/models/image_classifier.h"
#include "heed/pipeline/presets.h"
#include "heed/pipeline/train.h"

#pragma GCC visibility push(default)  // exported

namespace heed::pipeline {

// What a model has learnt to tell apart, as its folder keeps it.
struct LearntImages {
  images::ImageForm form{};
  std::vector<std::string> names{};  // of the classes
  corpora::CanvasOptions canvas{.side = 0};
  std::string target{};  // of the built-in scenes: the shape whose colour is asked for; empty: none
  std::int64_t distractors = 3;
  // Of pixels of the built-in scenes; 0: images are read as they are.
  double mean = 0;
  double deviation = 0;

  bool of_scenes() const { return !target.empty(); }
  corpora::TargetWish wish() const;
  void declare(Options& options);
  std::string to_toml() const;
  void write(const std::filesystem::path& file) const;
  // DataError that names the file.
  static LearntImages read(const std::filesystem::path& file);
};
inline constexpr const char* kLearntImagesFile = "images.toml";

struct LookOptions : KindOptions {
  std::string images;
  std::string labels;
  std::string valid_images;
  std::string valid_labels;
  std::string train;
  std::string valid;
  std::string target;
  std::int64_t distractors = 3;
  std::int64_t scenes = 20'000;
  std::int64_t side = 0;
  std::int64_t clutter = 0;
  std::int64_t piece = 8;
  bool colour = false;
  std::int64_t batch = 64;
  std::int64_t valid_count = 2000;

  models::ImageReading reading = models::ImageReading::convolutions;
  std::vector<std::string> stages = {"16:3:2", "32:3:2", "64:3"};
  models::CellPlaces places = models::CellPlaces::none;
  std::int64_t patch = 7;
  int layers = 4;
  std::string self_attention = "scaled_dot";
  models::CellPooling pooling = models::CellPooling::attention;
  std::string attention = "additive(size=64)";
  models::TransformerStackOptions stack{};

  LookOptions();
  LookOptions(const LookOptions& other) : LookOptions() { copy_values(other); }

  const ModelKind& kind() const override;
  void apply_preset() override;
  void check() const override;
  std::vector<std::string> data_files() const override;
  std::vector<text::DataPart> data_parts() const override;
  void take_data(std::span<const std::string> files) override;
  double suits(std::span<const std::string> files) const override;
  bool validates() const override { return valid_count > 0; }
  nn::Parameters sketch(Random& random, std::int64_t tokens = 0) const override;
  std::unique_ptr<TrainingSetup> setup(const Print& print) const override;

  bool from_files() const { return !train.empty(); }
  bool from_scenes() const { return !target.empty(); }
  models::ImageClassifierOptions model_for(const LearntImages& learnt) const;
  // Declares what makes a model what it is.
  void declare_model(Options& options);
};

std::span<const Preset> look_presets();

}  // namespace heed::pipeline

#pragma GCC visibility pop
