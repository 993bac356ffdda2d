// SPDX-License-Identifier: Apache-2.0
// All options of `heed train embed`. A model folder keeps it as config.toml.
#pragma once  // public header

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "heed/models/embedder.h"
#include "heed/pipeline/position_limit.h"
#include "heed/pipeline/presets.h"
#include "heed/pipeline/stream_options.h"
#include "heed/pipeline/text_encoder_options.h"
#include "heed/pipeline/train.h"
#include "heed/pipeline/vocabulary_options.h"
#include "heed/text/labelled.h"
#include "heed/text/pairs.h"

#pragma GCC visibility push(default)  // exported

namespace heed::pipeline {

struct EmbedOptions : KindOptions, StreamOptions, EncoderOptions {
  std::string train, valid;
  double valid_fraction = 0;
  std::int64_t fold = 0;
  std::int64_t valid_count = 2000;
  OneVocabularyOptions vocabulary;

  models::Summary pooling = models::Summary::mean;
  bool normalised = true;
  double temperature = .05;

  EmbedOptions();
  EmbedOptions(const EmbedOptions& other) : EmbedOptions() { copy_values(other); }

  const ModelKind& kind() const override;
  // The encoder of the model that --init-from names comes before the preset.
  void apply_preset() override;
  void check() const override;
  std::vector<std::string> data_files() const override;
  std::vector<text::DataPart> data_parts() const override;
  void take_data(std::span<const std::string> files) override;
  double suits(std::span<const std::string> files) const override;
  nn::Parameters sketch(Random& random, std::int64_t tokens = 0) const override;
  bool validates() const override;
  std::unique_ptr<TrainingSetup> setup(const Print& print) const override;

  text::HoldOut held() const { return {valid_fraction, trainer.seed, fold}; }
  text::TextShape shape() const {
    return begin_token ? text::TextShape::framed : text::TextShape::line;
  }
  PositionLimit room() const { return {.places = places(), .shape = shape()}; }
  models::EmbedderOptions model(std::int64_t tokens) const;
};

std::span<const Preset> embed_presets();

// Pairs of texts, TEXT<TAB>TEXT on each line.
text::PairFiles embed_pairs(const std::string& file);

}  // namespace heed::pipeline

#pragma GCC visibility pop
