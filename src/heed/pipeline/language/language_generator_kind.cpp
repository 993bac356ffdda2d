// SPDX-License-Identifier: Apache-2.0
// Language models, listed among the kinds of models.
#include "heed/pipeline/language/language_generator.h"
#include "heed/pipeline/language/language_options.h"
#include "heed/pipeline/model_kind.h"

namespace heed::pipeline {
namespace {

constexpr const char* kName = "language";

std::unique_ptr<KindOptions> make_options() {
  return std::make_unique<LanguageOptions>();
}

std::vector<std::string> shaping_options() {
  LanguageModelOptions model;
  Options list;
  model.declare(list);
  return list.names();
}

std::unique_ptr<Model> open(const std::filesystem::path& folder) {
  return std::make_unique<LanguageGenerator>(folder);
}

const ListedKind kListed(
    {.name = kName,
     .noun = "language model",
     .rank = 2,
     .verb = "heed generate",
     .example = "heed generate --model {}",
     .files = {kTokeniserFile},
     .scores = Scored::texts,
     .notes = {.attention = "attention over the past", .reads_forward = true, .words_score = true},
     .presets = language_presets,
     .options = make_options,
     .shaping_options = shaping_options,
     .open = open});

}  // namespace

const ModelKind& LanguageOptions::kind() const {
  return *find_kind(kName);
}

const ModelKind& LanguageGenerator::kind() const {
  return *find_kind(kName);
}

std::vector<std::string> LanguageOptions::data_files() const {
  return {train, valid};
}

nn::Parameters LanguageOptions::sketch(Random& random) const {
  return nn::parameters(*make_language_model(model, vocabulary.size, random));
}

}  // namespace heed::pipeline
