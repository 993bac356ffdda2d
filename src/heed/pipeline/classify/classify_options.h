// SPDX-License-Identifier: Apache-2.0
// All options of `heed train classify`: data, labels, vocabulary, encoder, attention,
// training. A model folder keeps it as config.toml.
#pragma once  // public header

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "heed/models/classifier.h"
#include "heed/pipeline/position_limit.h"
#include "heed/pipeline/presets.h"
#include "heed/pipeline/stream_options.h"
#include "heed/pipeline/text_encoder_options.h"
#include "heed/pipeline/train.h"
#include "heed/pipeline/vocabulary_options.h"
#include "heed/text/labelled.h"
#include "heed/training/rationale_loss.h"

#pragma GCC visibility push(default)  // exported

namespace heed::pipeline {

// The file of a model folder that names aspects and classes.
inline constexpr const char* kLabelsFile = "labels.tsv";
// The picture of how probable its predictions on validation texts were, and how often right.
inline constexpr const char* kReliabilityFile = "reliability.svg";

struct ClassifyOptions : KindOptions, StreamOptions, EncoderOptions {
  // Data
  std::string train, valid;
  double valid_fraction = 0;
  std::int64_t fold = 0;
  text::LabelledOptions labelled;
  std::vector<std::string> aspects = {"label"};
  bool second = false;
  bool documents = false;

  OneVocabularyOptions vocabulary;

  // What is made of the encoder's states
  std::string attention = "additive";
  models::Summary pooling = models::Summary::mean;
  models::PoolingQuery query = models::PoolingQuery::learned;
  models::PoolingKeys keys = models::PoolingKeys::states;
  models::Matching matching = models::Matching::query;
  int hops = 1;
  int joints = 1;
  Activation head = Activation::none;

  // What words hang on, and trees to learn it from
  std::string syntax;
  std::string trees, valid_trees;
  double trees_weight = 1;

  // What is kept of the text before it is classified
  models::RationaleOptions rationale;
  training::RationaleLossOptions rationale_loss;
  std::int64_t outsider_updates = 1000;

  std::string class_weights = "none";
  double label_smoothing = 0;
  double threshold_accuracy = .95;
  std::int64_t samples = 3;

  ClassifyOptions();
  ClassifyOptions(const ClassifyOptions& other) : ClassifyOptions() { copy_values(other); }

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

  void check_rationale() const;
  void check_syntax() const;
  text::HoldOut held() const { return {valid_fraction, trainer.seed, fold}; }
  // How such a file is written; of training data with every phrase of a tree, of others with whole
  // sentences. Looks at the file.
  text::LabelledForm form(const std::string& file) const;
  text::TextShape shape() const;
  PositionLimit room() const;
  models::ClassifierOptions model(std::int64_t vocabulary_size, const text::Labels& labels) const;
};

// Models and trainings that work, by name.
std::span<const Preset> classify_presets();

}  // namespace heed::pipeline

#pragma GCC visibility pop
