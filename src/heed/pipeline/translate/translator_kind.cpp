// SPDX-License-Identifier: Apache-2.0
// Translators, listed among the kinds of models.
#include "heed/base/error.h"
#include "heed/pipeline/head_look.h"
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
  std::vector<std::string> names = list.names();
  names.emplace_back("shared-vocabulary");
  return names;
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

std::vector<text::DataPart> TranslationOptions::data_parts() const {
  const auto part = [this](const char* role, const std::string& source, const std::string& target,
                           const std::string& both) -> text::DataPart {
    if (!both.empty()) return {.role = role, .files = {.source = both}};
    return {.role = role,
            .files = {.source = source, .target = target, .documents = model.documents}};
  };
  std::vector<text::DataPart> parts = {part("training", train_source, train_target, train)};
  if (!valid.empty() || !valid_source.empty()) {
    parts.push_back(part("validation", valid_source, valid_target, valid));
  }
  return parts;
}

void TranslationOptions::take_data(std::span<const std::string> files) {
  if (files.size() != 1 && files.size() != 2 && files.size() != 4) {
    throw UsageError(
        "{} files of data; it takes one of source<TAB>target, a source and its target, or these "
        "and two for validation",
        files.size());
  }
  train = files.size() == 1 ? files[0] : "";
  train_source = files.size() > 1 ? files[0] : "";
  train_target = files.size() > 1 ? files[1] : "";
  valid_source = files.size() > 2 ? files[2] : "";
  valid_target = files.size() > 2 ? files[3] : "";
  valid = "";
  valid_fraction = 0;
}

double TranslationOptions::suits(std::span<const std::string> files) const {
  if (files.empty()) return 0;
  const HeadLook look = look_at_head(files[0]);
  if (look.table_ending && look.ending != ".tsv") return 0;
  if (files.size() == 1) return look.tabs > .9 && look.distinct > .5 ? .8 : 0;
  if (files.size() != 2 && files.size() != 4) return 0;
  return look_at_head(files[1]).ending != look.ending ? 1 : 0;
}

bool TranslationOptions::validates() const {
  return !valid.empty() || !valid_source.empty() || valid_fraction > 0;
}

nn::Parameters TranslationOptions::sketch(Random& random, std::int64_t tokens) const {
  if (tokens == 0) tokens = vocabulary.size;
  const auto made = make_model(model, {.source = tokens, .target = tokens}, random);
  return nn::parameters(*made);
}

}  // namespace heed::pipeline
