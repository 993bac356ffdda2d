// SPDX-License-Identifier: Apache-2.0
// All options of `heed train visual`. A model folder keeps it as config.toml.
#pragma once  // public header

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "heed/models/picture_asker.h"
#include "heed/pipeline/picture_data.h"
#include "heed/pipeline/presets.h"
#include "heed/pipeline/train.h"

#pragma GCC visibility push(default)  // exported

namespace heed::pipeline {

struct VisualOptions : KindOptions {
  PictureDataOptions pictures;
  std::int64_t batch = 64;
  std::vector<std::string> stages{"16:3:2", "32:3:2", "64:3:1"};
  models::CellPlaces places = models::CellPlaces::sines;
  models::PictureReading reading = models::PictureReading::attention;
  std::string attention = "additive";
  std::int64_t hops = 2;
  std::int64_t embedding = 32;
  std::int64_t hidden = 64;

  VisualOptions();
  VisualOptions(const VisualOptions& other) : VisualOptions() { copy_values(other); }

  const ModelKind& kind() const override;
  void apply_preset() override;
  void check() const override;
  std::vector<std::string> data_files() const override { return pictures.files(); }
  std::vector<text::DataPart> data_parts() const override { return {}; }
  void take_data(std::span<const std::string> files) override;
  double suits(std::span<const std::string> files) const override;
  bool validates() const override;
  nn::Parameters sketch(Random& random, std::int64_t vocabulary = 0) const override;
  std::unique_ptr<TrainingSetup> setup(const Print& print) const override;

  models::PictureAskerOptions model_for(const LearntPictures& form, std::int64_t vocabulary,
                                        std::int64_t answers) const;
  // Declares what makes a model what it is.
  void declare_model(Options& options);
};

std::span<const Preset> visual_presets();

}  // namespace heed::pipeline

#pragma GCC visibility pop
