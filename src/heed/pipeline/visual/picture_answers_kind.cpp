// SPDX-License-Identifier: Apache-2.0
// Those who answer questions on pictures, listed among the kinds of models.
#include "heed/pipeline/model_kind.h"
#include "heed/pipeline/visual/picture_answers.h"
#include "heed/pipeline/vocabulary_options.h"

namespace heed::pipeline {
namespace {

constexpr const char* kName = "visual";

std::unique_ptr<KindOptions> make_options() {
  return std::make_unique<VisualOptions>();
}

std::vector<std::string> shaping_options() {
  VisualOptions options;
  Options list;
  options.declare_model(list);
  return list.names();
}

std::unique_ptr<Model> open(const std::filesystem::path& folder) {
  return std::make_unique<PictureAnswerer>(folder);
}

const ListedKind kListed(
    {.name = kName,
     .noun = "model that answers questions on pictures",
     .rank = 13,
     .verb = "heed visual",
     .example = "heed visual {} --sample 1 --show",
     .files = {kTokeniserFile, kLearntPicturesFile, kPictureAnswersFile},
     .instead_of_scores = "heed visual answers questions with it, and --measure says how good",
     .notes = {.attention = "attention of the question over the cells of the picture",
               .output = "a score for every answer"},
     .presets = visual_presets,
     .options = make_options,
     .shaping_options = shaping_options,
     .open = open});

}  // namespace

const ModelKind& VisualOptions::kind() const {
  return *find_kind(kName);
}

const ModelKind& PictureAnswerer::kind() const {
  return *find_kind(kName);
}

}  // namespace heed::pipeline
