// SPDX-License-Identifier: Apache-2.0
// Translators, listed among the kinds of models.
#include "heed/pipeline/model_kind.h"
#include "heed/pipeline/translate/translation_options.h"
#include "heed/pipeline/translate/translator.h"

namespace heed::pipeline {
namespace {

constexpr const char* kName = "translate";

std::unique_ptr<KindOptions> make_options() {
  return std::make_unique<TranslationOptions>();
}

std::vector<std::string> shaping_options() {
  ModelOptions model;
  Options list;
  model.declare(list);
  return list.names();
}

std::unique_ptr<Model> open(const std::filesystem::path& folder) {
  return std::make_unique<Translator>(folder);
}

const ListedKind kListed({.name = kName,
                          .noun = "translator",
                          .rank = 1,
                          .verb = "heed translate",
                          .example = "heed translate --model {} < SOURCE",
                          .files = {kSourceTokeniserFile},
                          .files_of_some = {kTargetTokeniserFile},
                          .scores = Scored::pairs,
                          .presets = translation_presets,
                          .options = make_options,
                          .shaping_options = shaping_options,
                          .open = open});

}  // namespace

const ModelKind& TranslationOptions::kind() const {
  return *find_kind(kName);
}

const ModelKind& Translator::kind() const {
  return *find_kind(kName);
}

std::vector<std::string> TranslationOptions::data_files() const {
  return {train, train_source, train_target, valid, valid_source, valid_target};
}

nn::Parameters TranslationOptions::sketch(Random& random) const {
  const auto made =
      make_model(model, {.source = vocabulary.size, .target = vocabulary.size}, random);
  return nn::parameters(*made);
}

}  // namespace heed::pipeline
