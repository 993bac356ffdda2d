// SPDX-License-Identifier: Apache-2.0
// Models of sentence embeddings, listed among the kinds of models.
#include "heed/pipeline/embed/embed_options.h"
#include "heed/pipeline/embed/text_embedder.h"
#include "heed/pipeline/head_look.h"
#include "heed/pipeline/held_out.h"
#include "heed/pipeline/model_kind.h"

namespace heed::pipeline {
namespace {

constexpr const char* kName = "embed";

std::unique_ptr<KindOptions> make_options() {
  return std::make_unique<EmbedOptions>();
}

std::vector<std::string> shaping_options() {
  EncoderOptions encoder;
  Options list;
  encoder.declare_encoder(list);
  std::vector<std::string> names = list.names();
  for (const char* name : {"pooling", "normalised"}) names.emplace_back(name);
  return names;
}

std::unique_ptr<Model> open(const std::filesystem::path& folder) {
  return std::make_unique<TextEmbedder>(folder);
}

const ListedKind kListed({.name = kName,
                          .noun = "model of sentence embeddings",
                          .rank = 20,
                          .verb = "heed embed",
                          .example = "heed embed --model {} < TEXT",
                          .files = {kTokeniserFile},
                          .instead_of_scores = "heed embed --pairs says how alike two texts are",
                          .teaches = kTextEncoder,
                          .learns_from = kTextEncoder,
                          .notes = {.output = "none: its states are pooled into a vector"},
                          .presets = embed_presets,
                          .options = make_options,
                          .shaping_options = shaping_options,
                          .open = open});

}  // namespace

const ModelKind& EmbedOptions::kind() const {
  return *find_kind(kName);
}

const ModelKind& TextEmbedder::kind() const {
  return *find_kind(kName);
}

std::vector<std::string> EmbedOptions::data_files() const {
  return {train, valid};
}

std::vector<text::DataPart> EmbedOptions::data_parts() const {
  std::vector<text::DataPart> parts = {{.role = "training", .files = embed_pairs(train)}};
  if (!valid.empty()) parts.push_back({.role = "validation", .files = embed_pairs(valid)});
  return parts;
}

void EmbedOptions::take_data(std::span<const std::string> files) {
  take_plain_data(files, train, valid);
  valid_fraction = 0;
}

// Pairs that belong together look like lines with their translations, which are more often meant.
double EmbedOptions::suits(std::span<const std::string> files) const {
  if (files.empty() || files.size() > 2) return 0;
  const HeadLook look = look_at_head(files[0]);
  return look.tabs > .9 && look.distinct > .5 ? .1 : 0;
}

bool EmbedOptions::validates() const {
  return !valid.empty() || valid_fraction > 0;
}

nn::Parameters EmbedOptions::sketch(Random& random, std::int64_t tokens) const {
  models::Embedder made(model(tokens == 0 ? vocabulary.size : tokens), random);
  return nn::parameters(made);
}

}  // namespace heed::pipeline
