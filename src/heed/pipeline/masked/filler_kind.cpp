// SPDX-License-Identifier: Apache-2.0
// Models of masked words, listed among the kinds of models.
#include "heed/models/masked_model.h"
#include "heed/pipeline/head_look.h"
#include "heed/pipeline/held_out.h"
#include "heed/pipeline/masked/filler.h"
#include "heed/pipeline/masked/masked_options.h"
#include "heed/pipeline/model_kind.h"

namespace heed::pipeline {
namespace {

constexpr const char* kName = "masked";

std::unique_ptr<KindOptions> make_options() {
  return std::make_unique<MaskedOptions>();
}

std::vector<std::string> shaping_options() {
  EncoderOptions encoder;
  Options list;
  encoder.declare_encoder(list);
  return list.names();
}

std::unique_ptr<Model> open(const std::filesystem::path& folder) {
  return std::make_unique<Filler>(folder);
}

const ListedKind kListed(
    {.name = kName,
     .noun = "model of masked words",
     .rank = 4,
     .verb = "heed fill",
     .example = "heed fill --model {} \"The [MASK] is red.\"",
     .files = {kTokeniserFile},
     .instead_of_scores = "heed fill guesses words with it, and heed compare measures it",
     .teaches = kTextEncoder,
     .notes = {.words_score = true},
     .presets = masked_presets,
     .options = make_options,
     .shaping_options = shaping_options,
     .open = open});

}  // namespace

const ModelKind& MaskedOptions::kind() const {
  return *find_kind(kName);
}

const ModelKind& Filler::kind() const {
  return *find_kind(kName);
}

std::vector<std::string> MaskedOptions::data_files() const {
  return {train, valid};
}

std::vector<text::DataPart> MaskedOptions::data_parts() const {
  return plain_parts(train, valid);
}

void MaskedOptions::take_data(std::span<const std::string> files) {
  take_plain_data(files, train, valid);
  valid_fraction = 0;
}

double MaskedOptions::suits(std::span<const std::string> files) const {
  return .3 * suits_plain_lines(files);
}

bool MaskedOptions::validates() const {
  return !valid.empty() || valid_fraction > 0;
}

nn::Parameters MaskedOptions::sketch(Random& random, std::int64_t tokens) const {
  models::MaskedModel made(to_options(tokens == 0 ? vocabulary.size : tokens), random);
  return nn::parameters(made);
}

}  // namespace heed::pipeline
