// SPDX-License-Identifier: Apache-2.0
// All options of `heed train masked`. A model folder keeps it as config.toml.
#pragma once  // public header

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "heed/pipeline/position_limit.h"
#include "heed/pipeline/presets.h"
#include "heed/pipeline/stream_options.h"
#include "heed/pipeline/text_encoder_options.h"
#include "heed/pipeline/train.h"
#include "heed/pipeline/vocabulary_options.h"
#include "heed/text/labelled.h"
#include "heed/text/masking.h"
#include "heed/text/pairs.h"

#pragma GCC visibility push(default)  // exported

namespace heed::pipeline {

struct MaskedOptions : KindOptions, StreamOptions, EncoderOptions {
  std::string train, valid;
  double valid_fraction = 0;
  std::int64_t fold = 0;
  OneVocabularyOptions vocabulary;

  double mask_share = .15;
  double mask_hidden = .8;
  double mask_replaced = .1;
  bool whole_words = false;

  MaskedOptions();
  MaskedOptions(const MaskedOptions& other) : MaskedOptions() { copy_values(other); }

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
  // `mask`: of the tokeniser.
  text::MaskingOptions masking(text::Token mask = text::kUnknown) const;
  text::TextShape shape() const {
    return begin_token ? text::TextShape::framed : text::TextShape::line;
  }
  PositionLimit room() const { return {.places = places()}; }
};

std::span<const Preset> masked_presets();

}  // namespace heed::pipeline

#pragma GCC visibility pop
