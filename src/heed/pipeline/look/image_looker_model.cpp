// SPDX-License-Identifier: Apache-2.0
// A classifier of images as one model among others: what it is asked whatever its kind.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "heed/base/base64.h"
#include "heed/base/error.h"
#include "heed/images/image_file.h"
#include "heed/pipeline/look/image_batches.h"
#include "heed/pipeline/look/image_looker.h"
#include "heed/pipeline/measure.h"

namespace heed::pipeline {

images::Image image_of_base64(std::string_view text, const std::string& where) {
  // As a browser gives a file: data:image/png;base64,...
  constexpr std::string_view kBase64 = ";base64,";
  const std::size_t comma = text.starts_with("data:") ? text.find(kBase64) : text.npos;
  const std::optional<std::string> bytes =
      base64_decode(comma == text.npos ? text : text.substr(comma + kBase64.size()));
  if (!bytes.has_value()) {
    throw UsageError("{}: no base64; give the bytes of a PNG, JPEG or PPM file in base64", where);
  }
  try {
    return images::parse_image({*bytes, where});
  } catch (const DataError& error) {
    throw UsageError("{}", error.what());
  }
}

std::int64_t ImageLooker::parameter_count() const {
  return nn::parameter_count(nn::parameters(*model_));
}

// In cells: every image has as many.
std::int64_t ImageLooker::length(std::string_view) const {
  return grid().cells();
}

std::vector<std::vector<Answer>> ImageLooker::run(std::span<const Input> inputs,
                                                  const Settings& settings) const {
  Options list;
  set(list, settings);
  std::vector<std::vector<Answer>> answers;
  for (const Input& input : inputs) {
    const images::Image image = image_of_base64(input.text, "image");
    ImageLook look;
    try {
      look = this->look(image);
    } catch (const DataError& error) {
      throw UsageError("{}", error.what());
    }
    std::vector<std::size_t> order(look.chances.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::ranges::greater(),
                             [&](std::size_t c) { return look.chances[c]; });
    std::vector<Answer>& mine = answers.emplace_back();
    for (const std::size_t c : order) mine.push_back({learnt_.names[c], look.chances[c]});
  }
  return answers;
}

std::vector<insight::TracedExample> ImageLooker::trace(std::span<const Input> inputs,
                                                       const Settings& settings) const {
  Options list;
  set(list, settings);
  std::vector<insight::TracedExample> examples;
  for (const Input& input : inputs) {
    try {
      examples.push_back(traced(image_of_base64(input.text, "image")));
    } catch (const DataError& error) {
      throw UsageError("{}", error.what());
    }
  }
  return examples;
}

void ImageLooker::measure(std::span<const std::string> files, ComparedModel& contestant) const {
  if (files.empty() || files.size() > 2) {
    throw UsageError(
        "{} files: classifiers of images take a folder or list of images, or an IDX file and its "
        "labels",
        files.size());
  }
  const images::ImageSet set =
      read_images_for(learnt_, {files[0], files.size() == 2 ? files[1] : ""});
  const std::vector<corpora::Canvas> canvases =
      corpora::fixed_canvases(set, set.size(), learnt_.canvas, 1);
  std::vector<images::Image> all;
  for (const corpora::Canvas& canvas : canvases) all.push_back(canvas.image);
  const Stopwatch watch;
  const std::vector<ImageLook> found = look(all);
  watch.stop(contestant);
  std::vector<double> wrong, ones(all.size(), 1);
  for (std::size_t i = 0; i < all.size(); ++i) {
    wrong.push_back(found[i].best != canvases[i].labels.front() ? 1 : 0);
  }
  contestant.sentences = all.size();
  contestant.units = static_cast<double>(all.size());
  contestant.unit = "images/s";
  contestant.measures = {ratio("error %", wrong, ones, percent)};
  contestant.measures.front().lower_is_better = true;
}

}  // namespace heed::pipeline
