// SPDX-License-Identifier: Apache-2.0
// A network that looks in glimpses as one model among others: what it is asked whatever its kind.
#include <algorithm>
#include <numeric>

#include "heed/base/base64.h"
#include "heed/base/error.h"
#include "heed/images/image_file.h"
#include "heed/pipeline/glimpse/canvas_batches.h"
#include "heed/pipeline/glimpse/glimpse_reader.h"
#include "heed/pipeline/measure.h"

namespace heed::pipeline {
namespace {

struct LookSettings {
  std::uint64_t seed = 1;

  void declare(Options& options) { options.add("seed", seed, "of the first place"); }
};

}  // namespace

std::int64_t GlimpseReader::parameter_count() const {
  return nn::parameter_count(nn::parameters(*network_));
}

std::int64_t GlimpseReader::length(std::string_view) const {
  return network_->options().steps();
}

images::Image GlimpseReader::parsed(const std::string& text) const {
  // "data:image/png;base64,..." as browsers write it.
  const std::size_t comma = text.starts_with("data:") ? text.find(',') : std::string::npos;
  const std::optional<std::string> bytes =
      base64_decode(comma == std::string::npos ? text : text.substr(comma + 1));
  if (!bytes) throw UsageError("an input that is no base64; give the bytes of an image file in it");
  try {
    return fitted(images::parse_image({*bytes, "image"}), "image");
  } catch (const DataError& error) {
    throw UsageError("{}", error.what());
  }
}

std::vector<std::vector<Answer>> GlimpseReader::run(std::span<const Input> inputs,
                                                    const Settings& settings) const {
  LookSettings look_settings;
  Options list;
  look_settings.declare(list);
  set(list, settings);
  std::vector<std::vector<Answer>> answers;
  for (const Input& input : inputs) {
    const GlimpsePath path = look(parsed(input.text), {.seed = look_settings.seed});
    if (network_->options().targets > 1) {
      answers.push_back({{text(path.classes), path.probability}});
      continue;
    }
    const std::vector<double>& chances = path.steps.back().chances;
    std::vector<int> order(chances.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, [&](int a, int b) {
      return chances[static_cast<std::size_t>(a)] > chances[static_cast<std::size_t>(b)];
    });
    std::vector<Answer>& answer = answers.emplace_back();
    for (const int one : order) {
      answer.push_back({text(std::span(&one, 1)), chances[static_cast<std::size_t>(one)]});
    }
  }
  return answers;
}

std::vector<insight::TracedExample> GlimpseReader::trace(std::span<const Input> inputs,
                                                         const Settings& settings) const {
  LookSettings look_settings;
  Options list;
  look_settings.declare(list);
  set(list, settings);
  std::vector<insight::TracedExample> examples;
  for (const Input& input : inputs) {
    examples.push_back(traced(look(parsed(input.text), {.seed = look_settings.seed})));
  }
  return examples;
}

void GlimpseReader::measure(std::span<const std::string> files, ComparedModel& contestant) const {
  if (files.size() != 1) require_files(files, 2, "glimpses take IDX images and their labels");
  const images::ImageSet set =
      read_image_source({.images = files[0],
                         .labels = files.size() == 2 ? files[1] : "",
                         .names = learnt_.names,
                         .form = {.height = learnt_.canvas.side > 0 ? 0 : learnt_.height,
                                  .width = learnt_.canvas.side > 0 ? 0 : learnt_.width,
                                  .channels = learnt_.channels}});
  const std::vector<corpora::Canvas> canvases =
      corpora::fixed_canvases(set, set.size(), learnt_.canvas, 1);
  const Stopwatch watch;
  const GlimpseQuality quality = glimpse_quality(*network_, canvases);
  watch.stop(contestant);
  contestant.sentences = canvases.size();
  contestant.units = static_cast<double>(canvases.size());
  contestant.unit = "images/s";
  const std::vector<double> ones(canvases.size(), 1);
  contestant.measures = {ratio("error %", quality.wrongs, ones, percent),
                         ratio("centres in box %", quality.pointings, ones, percent)};
  contestant.measures.front().lower_is_better = true;
}

}  // namespace heed::pipeline
