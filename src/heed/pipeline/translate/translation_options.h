// SPDX-License-Identifier: Apache-2.0
// All options of `heed train translate`: data, vocabulary, model, training, validation. A
// model folder keeps it as config.toml.
#pragma once  // public header

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "heed/pipeline/position_limit.h"
#include "heed/pipeline/presets.h"
#include "heed/pipeline/stream_options.h"
#include "heed/pipeline/train.h"
#include "heed/pipeline/translate/model_options.h"
#include "heed/pipeline/vocabulary_options.h"

#pragma GCC visibility push(default)  // exported

namespace heed::pipeline {

struct TranslationOptions : KindOptions, StreamOptions {
  // Data
  std::string train_source, train_target, train;
  std::string valid_source, valid_target, valid;
  double valid_fraction = 0;
  std::int64_t fold = 0;

  // Of both languages
  VocabularyOptions vocabulary;
  bool shared_vocabulary = false;
  std::string source_vocabulary, target_vocabulary;
  std::string embeddings, target_embeddings;

  ModelOptions model;
  double label_smoothing = .1;
  double coverage_loss = 0;

  // Validation
  int valid_beam = 1;
  std::int64_t valid_sentences = 500;
  std::vector<std::string> valid_metrics = {"bleu"};
  std::int64_t samples = 3;

  TranslationOptions();
  TranslationOptions(const TranslationOptions& other) : TranslationOptions() { copy_values(other); }

  const ModelKind& kind() const override;
  // What copies has no label smoothing unless it is asked for.
  void apply_preset() override;
  void check() const override;
  std::vector<std::string> data_files() const override;
  std::vector<text::DataPart> data_parts() const override;
  void take_data(std::span<const std::string> files) override;
  double suits(std::span<const std::string> files) const override;
  nn::Parameters sketch(Random& random, std::int64_t tokens = 0) const override;
  bool validates() const override;
  std::unique_ptr<TrainingSetup> setup(const Print& print) const override;
  PositionLimit room() const;

 private:
  void check_reading() const;  // of copying and documents
};

// Models and trainings that work, by name.
std::span<const Preset> translation_presets();

}  // namespace heed::pipeline

#pragma GCC visibility pop
