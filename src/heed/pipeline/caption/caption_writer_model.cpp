// SPDX-License-Identifier: Apache-2.0
// A captioner as one model among others: what it is asked whatever its kind.
#include "heed/base/base64.h"
#include "heed/base/error.h"
#include "heed/images/image_file.h"
#include "heed/metrics/bleu.h"
#include "heed/pipeline/caption/caption_writer.h"
#include "heed/pipeline/measure.h"

namespace heed::pipeline {

std::int64_t CaptionWriter::parameter_count() const {
  return nn::parameter_count(nn::parameters(*model_));
}

std::int64_t CaptionWriter::length(std::string_view) const {
  return grid().cells();
}

images::Image CaptionWriter::parsed(const std::string& text) const {
  const std::optional<std::string> bytes = base64_decode(text);
  if (!bytes) throw UsageError("picture: no base64; give the bytes of a PNG or JPEG file in it");
  try {
    return picture_in_form(images::parse_image({*bytes, "picture"}), form_, "picture");
  } catch (const DataError& error) {
    throw UsageError("{}", error.what());
  }
}

std::vector<std::vector<Answer>> CaptionWriter::run(std::span<const Input> inputs,
                                                    const Settings& settings) const {
  CaptionSearch search;
  Options list;
  search.declare(list);
  set(list, settings);
  std::vector<images::Image> pictures;
  for (const Input& input : inputs) pictures.push_back(parsed(input.text));
  std::vector<std::vector<Answer>> answers;
  for (const WrittenCaption& one : write(pictures, search)) {
    answers.push_back({{one.caption, one.log_probability}});
  }
  return answers;
}

std::vector<insight::TracedExample> CaptionWriter::trace(std::span<const Input> inputs,
                                                         const Settings& settings) const {
  CaptionSearch search;
  Options list;
  search.declare(list);
  set(list, settings);
  std::vector<insight::TracedExample> examples;
  for (const Input& input : inputs) {
    const images::Image picture = parsed(input.text);
    examples.push_back(traced(picture, look(picture, search)));
  }
  return examples;
}

void CaptionWriter::measure(std::span<const std::string> files, ComparedModel& contestant) const {
  require_files(files, 1, "captioners take one: a table of captions, its pictures beside it");
  const corpora::PictureSet set = pictures_of_table(files[0], form_);
  const Stopwatch watch;
  const CaptionQuality found = quality(set);
  watch.stop(contestant);
  std::vector<double> right;
  for (const bool one : found.right) right.push_back(one ? 1 : 0);
  const std::vector<double> ones(right.size(), 1);
  contestant.sentences = right.size();
  contestant.unit = "pictures/s";
  contestant.units = static_cast<double>(right.size());
  contestant.measures = {ratio("exact %", right, ones, percent)};
}

}  // namespace heed::pipeline
