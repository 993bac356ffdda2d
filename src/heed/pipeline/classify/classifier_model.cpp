// SPDX-License-Identifier: Apache-2.0
// A classifier as one model among others: what it is asked whatever its kind.
#include <fmt/format.h>

#include "heed/base/error.h"
#include "heed/base/options.h"
#include "heed/metrics/classification.h"
#include "heed/pipeline/classify/classifier.h"
#include "heed/pipeline/classify/classify_quality.h"
#include "heed/pipeline/measure.h"

namespace heed::pipeline {
namespace {

std::vector<text::LabelledText> texts_of(std::span<const Input> inputs) {
  std::vector<text::LabelledText> texts;
  for (const Input& input : inputs) texts.push_back({.text = input.text, .second = input.second});
  return texts;
}

using Classes = std::vector<std::int32_t>;

void add_aspect_measures(const text::Aspect& aspect, const std::string& name, Classes right,
                         Classes found, ComparedModel& contestant) {
  std::vector<double> hits;
  for (std::size_t i = 0; i < right.size(); ++i) hits.push_back(right[i] == found[i] ? 1 : 0);
  const std::vector<double> ones(hits.size(), 1);
  contestant.measures.push_back(ratio(name + "accuracy %", hits, ones, percent));
  contestant.measures.push_back({.name = name + "macro F1 %",
                                 .on = [right = std::move(right), found = std::move(found),
                                        classes = aspect.classes](Sentences sentences) {
                                   metrics::Confusion confusion(classes);
                                   for (const std::size_t i : sentences) {
                                     confusion.add(right[i], found[i]);
                                   }
                                   return percent(confusion.macro().f1);
                                 }});
}

}  // namespace

std::int64_t Classifier::parameter_count() const {
  return nn::parameter_count(nn::parameters(*parts_.model));
}

std::vector<std::vector<Answer>> Classifier::run(std::span<const Input> inputs,
                                                 const Settings& settings) const {
  ClassifyCall call;
  Options list;
  call.declare_threshold(list);
  set(list, settings);
  std::vector<std::vector<Answer>> answers;
  for (const Classification& found : classify(texts_of(inputs), call)) {
    std::vector<Answer>& mine = answers.emplace_back();
    for (const Prediction& one : found.aspects) {
      mine.push_back({fmt::format("{} = {}", one.aspect, one.unknown ? kUnknownLabel : one.label),
                      one.probability});
    }
  }
  return answers;
}

std::vector<insight::TracedExample> Classifier::trace(std::span<const Input> inputs,
                                                      const Settings& settings) const {
  ClassifyCall call{.trace = true};
  Options list;
  call.declare_threshold(list);
  set(list, settings);
  std::vector<insight::TracedExample> examples;
  for (Classification& found : classify(texts_of(inputs), call)) {
    if (!found.trace.strips.empty()) examples.push_back(std::move(found.trace));  // of a text
  }
  return examples;
}

text::LabelledForm Classifier::form(const std::filesystem::path& file,
                                    const text::LabelledOptions& said) const {
  text::LabelledNeeds needs{.aspects = {}, .second = takes_second()};
  for (const text::Aspect& aspect : labels().aspects()) needs.aspects.push_back(aspect.name);
  return text::labelled_form(file, said.filled_in(parts_.labelled), needs);
}

text::LabelledForm Classifier::form_of_texts(const std::filesystem::path& file,
                                             const text::LabelledOptions& said) const {
  using text::LabelledFormat;
  const auto labels_lines = [](LabelledFormat format) {
    return format == LabelledFormat::labelled || format == LabelledFormat::trees;
  };
  if (labels_lines(said.format) || !said.label_columns.empty()) {
    throw UsageError("{}: it is of labelled texts, which are given with --data",
                     labels_lines(said.format) ? "--format" : "--label-column");
  }
  // What training was told helps only where it read a table, too.
  text::LabelledOptions options =
      labels_lines(parts_.labelled.format) ? said : said.filled_in(parts_.labelled);
  options.label_columns.clear();
  return text::labelled_form(file, options, {.aspects = {}, .second = takes_second()});
}

void Classifier::measure(std::span<const std::string> files, ComparedModel& contestant) const {
  require_files(files, 1, "classifiers take one: labelled texts");
  const std::vector<text::Aspect>& aspects = labels().aspects();
  const std::vector<text::LabelledText> texts = read_labelled(files[0], form(files[0]), labels());
  const Stopwatch watch;
  const std::vector<Classification> predicted = classify(texts);
  watch.stop(contestant);
  contestant.sentences = texts.size();
  contestant.unit = "texts/s";
  contestant.units = static_cast<double>(texts.size());
  for (std::size_t a = 0; a < aspects.size(); ++a) {
    Classes right, found;
    for (std::size_t i = 0; i < texts.size(); ++i) {
      right.push_back(aspects[a].find(texts[i].labels[a]));
      found.push_back(aspects[a].find(predicted[i].aspects[a].label));
    }
    const std::string name = aspects.size() > 1 ? aspects[a].name + ' ' : std::string();
    add_aspect_measures(aspects[a], name, std::move(right), std::move(found), contestant);
  }
}

}  // namespace heed::pipeline
