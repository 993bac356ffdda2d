// SPDX-License-Identifier: Apache-2.0
// Classifiers, listed among the kinds of models.
#include "heed/pipeline/classify/classifier.h"
#include "heed/pipeline/classify/classify_options.h"
#include "heed/pipeline/head_look.h"
#include "heed/pipeline/held_out.h"
#include "heed/pipeline/model_kind.h"

namespace heed::pipeline {
namespace {

constexpr const char* kName = "classify";

std::unique_ptr<KindOptions> make_options() {
  return std::make_unique<ClassifyOptions>();
}

std::vector<std::string> shaping_options() {
  EncoderOptions encoder;
  Options list;
  encoder.declare_encoder(list);
  std::vector<std::string> names = list.names();
  for (const char* name :
       {"aspects", "second", "documents", "attention", "pooling", "query", "keys", "matching",
        "hops", "joints", "head", "rationale", "predictor", "predictor-hidden"}) {
    names.emplace_back(name);
  }
  return names;
}

std::unique_ptr<Model> open(const std::filesystem::path& folder) {
  return std::make_unique<Classifier>(folder);
}

const ListedKind kListed({.name = kName,
                          .noun = "classifier",
                          .rank = 3,
                          .verb = "heed classify",
                          .example = "heed classify --model {} < TEXT",
                          .files = {kTokeniserFile, kLabelsFile},
                          .instead_of_scores = "heed classify --data says how good a classifier is",
                          .learns_from = kTextEncoder,
                          .notes = {.attention = "attention that pools the words",
                                    .output = "a score for every class"},
                          .presets = classify_presets,
                          .options = make_options,
                          .shaping_options = shaping_options,
                          .open = open});

}  // namespace

const ModelKind& ClassifyOptions::kind() const {
  return *find_kind(kName);
}

const ModelKind& Classifier::kind() const {
  return *find_kind(kName);
}

std::vector<std::string> ClassifyOptions::data_files() const {
  std::vector<std::string> files = {train, valid};
  for (const std::string& file : {trees, valid_trees}) {
    if (!file.empty()) files.push_back(file);
  }
  return files;
}

std::vector<text::DataPart> ClassifyOptions::data_parts() const {
  std::vector<text::DataPart> parts;
  for (const std::string& file : {train, valid}) {
    if (file.empty()) continue;
    const text::LabelledForm mine = form(file);
    parts.push_back({.role = parts.empty() ? "training" : "validation",
                     .files = text::labelled_lines(file, mine),
                     .labelled = mine,
                     .aspects = aspects});
  }
  return parts;
}

void ClassifyOptions::take_data(std::span<const std::string> files) {
  take_plain_data(files, train, valid);
  valid_fraction = 0;
}

double ClassifyOptions::suits(std::span<const std::string> files) const {
  if (files.empty() || files.size() > 2) return 0;
  const HeadLook look = look_at_head(files[0]);
  if (look.table_ending) return look.ending == ".tsv" ? .9 : 1;
  if (look.tabs < .9) return 0;
  return look.distinct < .5 ? .9 : .2;
}

bool ClassifyOptions::validates() const {
  return !valid.empty() || valid_fraction > 0;
}

nn::Parameters ClassifyOptions::sketch(Random& random, std::int64_t tokens) const {
  // Two classes for each aspect: how many there are only the data knows.
  text::Labels labels{std::span(aspects)};
  for (const char* label : {"one", "other"}) {
    labels.add(std::vector<std::string>(aspects.size(), label));
  }
  models::Classifier made(model(tokens == 0 ? vocabulary.size : tokens, labels), random);
  return nn::parameters(made);
}

}  // namespace heed::pipeline
