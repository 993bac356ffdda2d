// SPDX-License-Identifier: Apache-2.0
// Recognisers of strips, listed among the kinds of models.
#include "heed/base/error.h"
#include "heed/pipeline/model_kind.h"
#include "heed/pipeline/recognise/strip_reader.h"

namespace heed::pipeline {
namespace {

constexpr const char* kName = "recognise";

std::unique_ptr<KindOptions> make_options() {
  return std::make_unique<RecogniseOptions>();
}

std::vector<std::string> shaping_options() {
  RecogniseOptions options;
  Options list;
  options.declare_model(list);
  return list.names();
}

std::unique_ptr<Model> open(const std::filesystem::path& folder) {
  return std::make_unique<StripReader>(folder);
}

const ListedKind kListed(
    {.name = kName,
     .noun = "recogniser of strips",
     .rank = 10,
     .verb = "heed recognise",
     .example = "heed recognise {} --sample 6 --show",
     .files = {kLearntStripsFile},
     .instead_of_scores = "heed recognise reads strips with it, and heed compare measures it",
     .notes = {.attention = "what a decoder looks at",
               .output = "a score for every label, and for the blank or the end"},
     .presets = recognise_presets,
     .options = make_options,
     .shaping_options = shaping_options,
     .open = open});

}  // namespace

const ModelKind& RecogniseOptions::kind() const {
  return *find_kind(kName);
}

const ModelKind& StripReader::kind() const {
  return *find_kind(kName);
}

std::vector<std::string> RecogniseOptions::data_files() const {
  return {images, labels, valid_images, valid_labels};
}

// Strips are made, of pictures too: there is no text to check.
std::vector<text::DataPart> RecogniseOptions::data_parts() const {
  return {};
}

void RecogniseOptions::take_data(std::span<const std::string> files) {
  if (files.size() != 2 && files.size() != 4) {
    throw UsageError(
        "{} files: a recogniser takes pictures of digits and their labels, and both "
        "once more for validation",
        files.size());
  }
  task = StripTask::digits;
  images = files[0];
  labels = files[1];
  if (files.size() == 4) {
    valid_images = files[2];
    valid_labels = files[3];
  }
}

double RecogniseOptions::suits(std::span<const std::string>) const {
  return 0;  // no text does
}

}  // namespace heed::pipeline
