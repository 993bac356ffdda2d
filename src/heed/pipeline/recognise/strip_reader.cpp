// SPDX-License-Identifier: Apache-2.0
// A model folder in use.
#include "heed/pipeline/recognise/strip_reader.h"

#include <fmt/format.h>

#include "heed/base/error.h"
#include "heed/pipeline/model_folder.h"
#include "heed/pipeline/tracing.h"

namespace heed::pipeline {

using corpora::Strip;

StripReader::StripReader(const std::filesystem::path& path) {
  const ModelFolder folder{path};
  folder.check("recognise");
  folder.read_config(options_.list);
  learnt_ = LearntStrips::read(folder.file(kLearntStripsFile));
  Random random(0);
  model_ = folder.made([&] {
    return std::make_shared<models::StripRecogniser>(options_.model_for(learnt_), random);
  });
  nn::Parameters parameters = nn::parameters(*model_);
  folder.load_weights(parameters);
}

std::string StripReader::text(std::span<const int> labels) const {
  return corpora::label_text(labels, learnt_.form().alphabet);
}

std::string StripReader::problem_of(const Strip& strip) const {
  if (strip.height != learnt_.height) {
    return fmt::format("frames of {} numbers; the model reads {} of them", strip.height,
                       learnt_.height);
  }
  const std::int64_t each = frames_of_state();
  const std::int64_t states = strip.frames() / each;
  if (states < 1) {
    return fmt::format("a strip of {} frames; it takes {} or more", strip.frames(), each);
  }
  if (!is_ctc() || !strip.labelled) return {};
  std::int64_t needed = std::ssize(strip.labels);
  for (std::size_t i = 1; i < strip.labels.size(); ++i) {
    needed += strip.labels[i] == strip.labels[i - 1] ? 1 : 0;
  }
  if (needed <= states) return {};
  return fmt::format(
      "{} labels take {} states of CTC, two equal neighbours one more between them, and {} frames "
      "have {}; give a longer strip or fewer labels",
      strip.labels.size(), needed, strip.frames(), states);
}

void StripReader::check(const Strip& strip) const {
  if (const std::string problem = problem_of(strip); !problem.empty()) {
    throw UsageError("{}", problem);
  }
}

FoundLabels StripReader::read(const Strip& strip, const StripSearch& search) const {
  return read(std::span(&strip, 1), search).front();
}

std::vector<FoundLabels> StripReader::read(std::span<const Strip> strips,
                                           const StripSearch& search) const {
  for (const Strip& strip : strips) check(strip);
  return find_labels(*model_, strips, search);
}

LookedAt StripReader::look(const Strip& strip, const StripSearch& search) const {
  check(strip);
  return look_at(*model_, strip, search);
}

insight::TracedExample StripReader::traced(const LookedAt& look) const {
  insight::TracedExample example{.title = text(look.found.labels)};
  std::vector<std::string> states, labels;
  for (std::int64_t s = 0; s < look.weights.size(1); ++s) {
    states.push_back(fmt::format("{}", s * frames_of_state() + 1));
  }
  for (const int label : look.found.labels) labels.push_back(text(std::span(&label, 1)));
  if (is_ctc()) {
    example.strips = {{.name = "source", .tokens = std::move(states)},
                      {.name = "target", .tokens = std::move(labels)}};
    if (look.found.labels.empty()) return example;
    example.attentions.push_back({.kind = "alignment",
                                  .queries = "target",
                                  .keys = "source",
                                  .heads = {{0, 0, look.weights}}});
    return example;
  }
  // The end has a row of its own where it was written.
  for (const decoding::AttentionPath& path : look.attentions) {
    if (path.weights.size(1) > std::ssize(labels)) labels.emplace_back("end");
  }
  example.strips = {{.name = "source", .tokens = std::move(states)},
                    {.name = "target", .tokens = std::move(labels)}};
  add_attentions(example, look.attentions);
  return example;
}

StripQuality StripReader::quality(std::span<const Strip> strips, const StripSearch& search,
                                  std::int64_t placed) const {
  StripQuality quality;
  const std::vector<FoundLabels> found = read(strips, search);
  for (std::size_t i = 0; i < strips.size(); ++i) {
    quality.add(strips[i].labels, found[i].labels);
    if (placed <= 0 || strips[i].places.empty() || found[i].labels != strips[i].labels) continue;
    quality.add_places(strips[i], look(strips[i], search).weights, frames_of_state());
    --placed;
  }
  return quality;
}

}  // namespace heed::pipeline
