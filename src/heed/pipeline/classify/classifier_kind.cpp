// SPDX-License-Identifier: Apache-2.0
// Classifiers, listed among the kinds of models.
#include "heed/pipeline/classify/classifier.h"
#include "heed/pipeline/classify/classify_options.h"
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
  return list.names();
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
  return {train, valid};
}

nn::Parameters ClassifyOptions::sketch(Random& random) const {
  // Two classes for each aspect: how many there are only the data knows.
  text::Labels labels{std::span(aspects)};
  for (const char* label : {"one", "other"}) {
    labels.add(std::vector<std::string>(aspects.size(), label));
  }
  models::Classifier made(model(vocabulary.size, labels), random);
  return nn::parameters(made);
}

}  // namespace heed::pipeline
