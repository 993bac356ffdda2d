// SPDX-License-Identifier: Apache-2.0
// Everything `heed train translate` can be told: data, vocabulary, model, training, validation. A
// model folder keeps it as config.toml.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "heed/base/options.h"
#include "heed/pipeline/model_options.h"
#include "heed/text/pair_encoder.h"
#include "heed/text/tokeniser.h"
#include "heed/training/trainer_options.h"

namespace heed::pipeline {

struct TranslationOptions {
  std::string out;
  std::string preset;
  std::string init_from;
  int threads = 0;

  // Data
  std::string train_source, train_target, train;
  std::string valid_source, valid_target, valid;
  double valid_fraction = 0;
  std::int64_t max_length = 0;
  text::TooLong too_long = text::TooLong::skip;
  std::int64_t batch_tokens = 4096;
  std::int64_t batch_sentences = 0;
  std::int64_t shuffle_window = 100'000;

  // Vocabulary
  text::TokeniserKind tokeniser = text::TokeniserKind::bpe;
  std::int32_t vocabulary_size = 8000;
  std::int64_t vocabulary_sample = 200'000;
  bool shared_vocabulary = false;
  bool lower_case = false;
  std::int64_t least_count = 1;
  double coverage = 1;
  std::string source_vocabulary, target_vocabulary;
  std::string embeddings, target_embeddings;

  ModelOptions model;
  training::TrainerOptions trainer;
  double label_smoothing = .1;

  // Validation
  int valid_beam = 1;
  std::int64_t valid_sentences = 500;
  std::vector<std::string> valid_metrics = {"bleu"};
  std::int64_t samples = 3;

  Options list;

  TranslationOptions();
  TranslationOptions(const TranslationOptions&) = delete;
  TranslationOptions& operator=(const TranslationOptions&) = delete;

  // Takes from the preset whatever neither command line nor file has said. UsageError for a preset
  // that there is not, naming the nearest.
  void apply_preset();
  // UsageError for options that do not fit each other.
  void check() const;
};

// The options that may change when a run goes on, besides those of every training.
const std::vector<std::string>& changeable_translation_options();

// The names of presets, and what each sets, as TOML.
std::vector<std::string> preset_names();
std::string preset_text(const std::string& name);

}  // namespace heed::pipeline
