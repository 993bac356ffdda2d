// SPDX-License-Identifier: Apache-2.0
// Networks that look in glimpses, listed among the kinds of models.
#include "heed/base/error.h"
#include "heed/pipeline/glimpse/glimpse_reader.h"
#include "heed/pipeline/head_look.h"
#include "heed/pipeline/model_kind.h"

namespace heed::pipeline {
namespace {

constexpr const char* kGlimpseName = "glimpse";

std::unique_ptr<KindOptions> make_glimpse_options() {
  return std::make_unique<GlimpseTrainOptions>();
}

std::vector<std::string> glimpse_shaping_options() {
  GlimpseTrainOptions options;
  Options list;
  options.declare_model(list);
  return list.names();
}

std::unique_ptr<Model> open_glimpses(const std::filesystem::path& folder) {
  return std::make_unique<GlimpseReader>(folder);
}

const ListedKind kListed(
    {.name = kGlimpseName,
     .noun = "network of glimpses",
     .rank = 12,
     .verb = "heed glimpse",
     .example = "heed glimpse {} --number 7 --show",
     .files = {kLearntCanvasesFile},
     .instead_of_scores = "heed glimpse looks at images with it, and heed compare measures it",
     .notes = {.attention = "where it looks next", .output = "a score for every class"},
     .presets = glimpse_presets,
     .options = make_glimpse_options,
     .shaping_options = glimpse_shaping_options,
     .open = open_glimpses});

}  // namespace

const ModelKind& GlimpseTrainOptions::kind() const {
  return *find_kind(kGlimpseName);
}

const ModelKind& GlimpseReader::kind() const {
  return *find_kind(kGlimpseName);
}

std::vector<std::string> GlimpseTrainOptions::data_files() const {
  return {images, labels, valid_images, valid_labels};
}

// Images: there is no text to check.
std::vector<text::DataPart> GlimpseTrainOptions::data_parts() const {
  return {};
}

void GlimpseTrainOptions::take_data(std::span<const std::string> files) {
  if (files.empty() || files.size() == 3 || files.size() > 4) {
    throw UsageError(
        "{} files: glimpses take a folder or TSV of images, or IDX images with their labels, and "
        "the same once more for validation",
        files.size());
  }
  images = files[0];
  if (files.size() > 1) labels = files[1];
  if (files.size() == 4) {
    valid_images = files[2];
    valid_labels = files[3];
  }
}

double GlimpseTrainOptions::suits(std::span<const std::string> files) const {
  return suits_images(files);
}

}  // namespace heed::pipeline
