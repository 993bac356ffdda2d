// SPDX-License-Identifier: Apache-2.0
// Language models, listed among the kinds of models.
#include "heed/pipeline/head_look.h"
#include "heed/pipeline/held_out.h"
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
  std::vector<std::string> names = list.names();
  names.emplace_back("line-ends");
  names.emplace_back("text-begin");
  return names;
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

std::vector<text::DataPart> LanguageOptions::data_parts() const {
  return plain_parts(train, valid);
}

void LanguageOptions::take_data(std::span<const std::string> files) {
  take_plain_data(files, train, valid);
  valid_fraction = 0;
}

double LanguageOptions::suits(std::span<const std::string> files) const {
  return .6 * suits_plain_lines(files);
}

nn::Parameters LanguageOptions::sketch(Random& random, std::int64_t tokens) const {
  return nn::parameters(
      *make_language_model(model, tokens == 0 ? vocabulary.size : tokens, random));
}

bool LanguageOptions::validates() const {
  return !valid.empty() || valid_fraction > 0;
}

}  // namespace heed::pipeline
