// SPDX-License-Identifier: Apache-2.0
// Classifiers of images, listed among the kinds of models.
#include "heed/base/error.h"
#include "heed/pipeline/head_look.h"
#include "heed/pipeline/look/image_looker.h"
#include "heed/pipeline/model_kind.h"

namespace heed::pipeline {
namespace {

constexpr const char* kName = "look";

std::unique_ptr<KindOptions> make_options() {
  return std::make_unique<LookOptions>();
}

std::vector<std::string> shaping_options() {
  LookOptions options;
  Options list;
  options.declare_model(list);
  return list.names();
}

std::unique_ptr<Model> open(const std::filesystem::path& folder) {
  return std::make_unique<ImageLooker>(folder);
}

const ListedKind kListed(
    {.name = kName,
     .noun = "classifier of images",
     .rank = 11,
     .verb = "heed look",
     .example = "heed look {} --input image.png --show",
     .files = {kLearntImagesFile},
     .instead_of_scores = "heed look tells what images show, and heed compare measures it",
     .notes = {.attention = "which cells of the image are read",
               .output = "a score for every class"},
     .presets = look_presets,
     .options = make_options,
     .shaping_options = shaping_options,
     .open = open});

}  // namespace

const ModelKind& LookOptions::kind() const {
  return *find_kind(kName);
}

const ModelKind& ImageLooker::kind() const {
  return *find_kind(kName);
}

// Folders are not among them: their images are looked at one by one when they are read.
std::vector<std::string> LookOptions::data_files() const {
  std::vector<std::string> files{images, labels, valid_images, valid_labels};
  std::error_code ignored;
  for (const std::string& path : {train, valid}) {
    if (!std::filesystem::is_directory(path, ignored)) files.push_back(path);
  }
  return files;
}

std::vector<text::DataPart> LookOptions::data_parts() const {
  return {};  // there is no text to check
}

void LookOptions::take_data(std::span<const std::string> files) {
  if (files.size() == 1) {
    train = files[0];
    return;
  }
  if (files.size() != 2 && files.size() != 4) {
    throw UsageError(
        "{} files: a classifier of images takes a folder or list of images, or an IDX file of "
        "images with that of their labels, and both once more for validation",
        files.size());
  }
  images = files[0];
  labels = files[1];
  if (files.size() == 4) {
    valid_images = files[2];
    valid_labels = files[3];
  }
}

double LookOptions::suits(std::span<const std::string> files) const {
  return suits_images(files);
}

}  // namespace heed::pipeline
