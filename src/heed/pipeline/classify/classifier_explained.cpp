// SPDX-License-Identifier: Apache-2.0
// What is explained of a text that a classifier has judged.
#include <fmt/format.h>

#include <algorithm>

#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/pipeline/classify/classifier.h"
#include "heed/pipeline/classify/explained_text.h"
#include "heed/pipeline/text_bounds.h"

namespace heed::pipeline {
namespace {

// The number of an aspect, or of a class, by its name.
std::size_t number_of(const std::string& name, const std::vector<std::string>& names,
                      std::string_view option, std::string_view what) {
  const auto found = std::ranges::find(names, name);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  throw UsageError("{} {}: no such {}{}; the model has {}", option, name, what,
                   did_you_mean(name, names), join(names, ", "));
}

}  // namespace

std::size_t Classifier::aspect_called(const std::string& name) const {
  if (name.empty()) return 0;
  std::vector<std::string> names;
  for (const text::Aspect& one : labels().aspects()) names.push_back(one.name);
  return number_of(name, names, "--aspect", "aspect");
}

Explained Classifier::explained(const Input& input, const ExplainedTarget& target) const {
  const std::size_t aspect = aspect_called(target.aspect);
  const text::LabelledText text{.text = input.text, .second = input.second};
  Classification found = classify(std::span(&text, 1), {.attention = attends()}).front();
  if (found.words.empty())
    throw UsageError("explain: an empty text; there are no words to explain");
  Prediction& said = found.aspects[aspect];
  const std::vector<std::string>& classes = labels().aspects()[aspect].classes;
  const std::size_t label =
      number_of(target.label.empty() ? said.label : target.label, classes, "--target", "class");

  const std::int64_t most = longest_read(0, parts_.longest);
  ExplainedText::Parts parts{.model = parts_.model,
                             .text = read(input.text, parts_.shape, most),
                             .second = {},
                             .words = found.words.size(),
                             .aspect = aspect,
                             .label = static_cast<std::int64_t>(label),
                             .attention = std::move(said.attention)};
  if (parts_.second) parts.second = read(input.second, text::TextShape::line, most).tokens;
  return {.subject = std::make_unique<ExplainedText>(std::move(parts)),
          .words = std::move(found.words),
          .target = fmt::format("{} = {}", said.aspect, classes[label]),
          .probability = said.probabilities[label]};
}

}  // namespace heed::pipeline
