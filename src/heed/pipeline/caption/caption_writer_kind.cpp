// SPDX-License-Identifier: Apache-2.0
// Captioners, listed among the kinds of models.
#include "heed/pipeline/caption/caption_writer.h"
#include "heed/pipeline/model_kind.h"
#include "heed/pipeline/vocabulary_options.h"

namespace heed::pipeline {
namespace {

constexpr const char* kName = "caption";

std::unique_ptr<KindOptions> make_options() {
  return std::make_unique<CaptionOptions>();
}

std::vector<std::string> shaping_options() {
  CaptionOptions options;
  Options list;
  options.declare_model(list);
  return list.names();
}

std::unique_ptr<Model> open(const std::filesystem::path& folder) {
  return std::make_unique<CaptionWriter>(folder);
}

const ListedKind kListed(
    {.name = kName,
     .noun = "captioner",
     .rank = 14,
     .verb = "heed caption",
     .example = "heed caption {} --sample 1 --show",
     .files = {kTokeniserFile, kLearntPicturesFile},
     .instead_of_scores = "heed caption writes captions with it, and --measure says how good",
     .notes = {.attention = "attention of each word over the cells of the picture",
               .output = "a score for every word"},
     .presets = caption_presets,
     .options = make_options,
     .shaping_options = shaping_options,
     .open = open});

}  // namespace

const ModelKind& CaptionOptions::kind() const {
  return *find_kind(kName);
}

const ModelKind& CaptionWriter::kind() const {
  return *find_kind(kName);
}

}  // namespace heed::pipeline
