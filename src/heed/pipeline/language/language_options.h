// SPDX-License-Identifier: Apache-2.0
// All options of `heed train language`: text, vocabulary, model, windows, validation. A
// model folder keeps it as config.toml.
#pragma once  // public header

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "heed/models/gpt.h"
#include "heed/models/recurrent_language_model.h"
#include "heed/models/transformer_xl.h"
#include "heed/pipeline/presets.h"
#include "heed/pipeline/train.h"
#include "heed/pipeline/vocabulary_options.h"
#include "heed/text/long_text.h"
#include "heed/text/track_stream.h"

#pragma GCC visibility push(default)  // exported

namespace heed::pipeline {

enum class LanguageModelKind { recurrent, gpt, transformer_xl };
// What a text begins after: the end of a line, as Heed's own models learn; <s>; nothing at all.
enum class TextBegin { end, begin, nothing };
const std::vector<std::string>& text_begin_names();

struct LanguageModelOptions {
  LanguageModelKind model = LanguageModelKind::recurrent;
  std::string attention;  // the written form; empty: the model's own
  // The Transformer's, and the layers and the dropout of both.
  models::TransformerStackOptions stack{.layers = 2, .dropout = 0};
  bool tied = true;
  // recurrent
  nn::Cell cell = nn::Cell::lstm;
  std::int64_t embedding = 200;
  std::int64_t hidden = 200;
  std::int64_t span = 100;
  models::Composition composition = models::Composition::concat;
  // transformer_xl, of segments as long as the stack's `longest`
  std::int64_t memory = 64;
  models::CompressionKind compression = models::CompressionKind::none;
  std::int64_t compression_rate = 4;
  std::int64_t slots = 64;
  double compression_loss = 1;

  void declare(Options& options);
};

std::unique_ptr<models::LanguageModel> make_language_model(const LanguageModelOptions& options,
                                                           std::int64_t vocabulary, Random& random);

struct LanguageOptions : KindOptions {
  // Data
  std::string train;
  std::string valid;
  double valid_fraction = 0;
  text::LineEnds line_ends = text::LineEnds::token;
  TextBegin text_begin = TextBegin::end;
  std::int64_t tracks = 20;
  std::int64_t window = 0;  // 0: a recurrent model's 35, a Transformer's context
  text::Windows windows = text::Windows::contiguous;

  OneVocabularyOptions vocabulary;
  LanguageModelOptions model;

  std::int64_t samples = 1;
  std::int64_t sample_length = 100;

  LanguageOptions();
  LanguageOptions(const LanguageOptions& other) : LanguageOptions() { copy_values(other); }

  const ModelKind& kind() const override;
  void apply_preset() override;
  void check() const override;
  std::vector<std::string> data_files() const override;
  std::vector<text::DataPart> data_parts() const override;
  void take_data(std::span<const std::string> files) override;
  double suits(std::span<const std::string> files) const override;
  nn::Parameters sketch(Random& random, std::int64_t tokens = 0) const override;
  bool validates() const override;
  std::unique_ptr<TrainingSetup> setup(const Print& print) const override;
  std::int64_t window_length() const;
};

// Models and trainings that work, by name.
std::span<const Preset> language_presets();

}  // namespace heed::pipeline

#pragma GCC visibility pop
