// SPDX-License-Identifier: Apache-2.0
// Each model measures itself; what is made of the measures is the same for every kind.
#include "heed/pipeline/comparison.h"

#include <fmt/format.h>

#include <algorithm>

#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/base/text.h"
#include "heed/pipeline/model.h"
#include "heed/pipeline/model_facts.h"
#include "heed/pipeline/model_folder.h"
#include "heed/pipeline/vocabulary_options.h"
#include "heed/tensor/packed_weights.h"

namespace heed::pipeline {
namespace {

std::vector<std::string> measure_names(const ComparedModel& contestant) {
  std::vector<std::string> names;
  for (const Measure& measure : contestant.measures) names.push_back(measure.name);
  return names;
}

// UsageError unless the sentences of both can be drawn together.
void require_alike(const ComparedModel& first, const ComparedModel& other) {
  if (measure_names(first) != measure_names(other)) {
    throw UsageError("{} is measured by {}, {} by {}; compare models that judge the same",
                     first.name, join(measure_names(first), ", "), other.name,
                     join(measure_names(other), ", "));
  }
  if (first.sentences != other.sentences) {
    throw UsageError(
        "{} reads {} sentences of the data, {} reads {}; compare models that read the "
        "same",
        first.name, first.sentences, other.name, other.sentences);
  }
}

// What only models of one vocabulary can be compared by.
void require_comparable_tokens(std::vector<ComparedModel>& models) {
  const auto differs = [&](const ComparedModel& other) {
    return other.vocabulary != models.front().vocabulary;
  };
  const auto other = std::ranges::find_if(models, differs);
  if (other == models.end()) return;
  if (!other->vocabulary_needed.empty()) {
    throw UsageError(
        "{} and {} have different vocabularies, and so {}; compare models of one vocabulary",
        models.front().name, other->name, other->vocabulary_needed);
  }
  for (ComparedModel& contestant : models) {
    std::erase_if(contestant.measures, [](const Measure& measure) { return measure.of_tokens; });
  }
}

WeightForm form_called(const std::string& name) {
  const std::vector<std::string>& names = weight_form_names();
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) {
    throw UsageError("--weights: no form is called \"{}\"{}; there are {}", name,
                     did_you_mean(name, names), join(names, ", "));
  }
  return static_cast<WeightForm>(found - names.begin());
}

// The measure with its sign turned where less is more, so that the larger one wins.
metrics::SampleMeasure goodness(const Measure& measure) {
  if (!measure.lower_is_better) return measure.on;
  return [on = measure.on](Sentences sentences) { return -on(sentences); };
}

}  // namespace

std::vector<ComparedModel> measure_all(std::span<const std::filesystem::path> folders,
                                       const ComparisonOptions& options) {
  if (!options.weights.empty() && options.weights.size() != folders.size()) {
    throw UsageError(
        "--weights: {} forms of {} models; give one for each, such as --weights f32 int8",
        options.weights.size(), folders.size());
  }
  std::vector<ComparedModel> models;
  for (const std::filesystem::path& folder : folders) {
    const insight::ModelFacts facts = facts_of_folder(folder);
    ComparedModel contestant{.name = folder.string(), .task = facts.task};
    if (!models.empty() && models.front().task != facts.task) {
      throw UsageError("{} is for the task \"{}\", {} for \"{}\"; compare models of one task",
                       models.front().name, models.front().task, contestant.name, facts.task);
    }
    contestant.parameters = insight::describe(facts).cost.parameters;
    contestant.file_bytes = std::filesystem::file_size(ModelFolder{folder}.weights());
    if (const auto file = ModelFolder{folder}.file(kTokeniserFile); std::filesystem::exists(file)) {
      contestant.vocabulary = read_file(file);
    }
    if (options.weights.empty()) {
      open_model(folder)->measure(options.data, contestant);
    } else {
      const std::string& form = options.weights[models.size()];
      PackedWeights packed(form_called(form));
      const PackedWeights::Scope scope(packed);
      contestant.name += fmt::format(" ({})", form);
      open_model(folder)->measure(options.data, contestant);
    }
    models.push_back(std::move(contestant));
  }
  if (!models.empty()) require_comparable_tokens(models);
  return models;
}

std::vector<ComparedMeasure> compare_measures(std::span<const ComparedModel> models,
                                              const ComparisonOptions& options) {
  std::vector<ComparedMeasure> standings;
  if (models.empty()) return standings;
  const ComparedModel& first = models.front();
  for (const ComparedModel& contestant : models) require_alike(first, contestant);
  for (std::size_t m = 0; m < first.measures.size(); ++m) {
    ComparedMeasure standing{.measure = first.measures[m].name};
    for (std::size_t i = 0; i < models.size(); ++i) {
      Random alone(options.seed, 2 * i), paired(options.seed, 2 * i + 1);
      const Measure& measure = models[i].measures[m];
      standing.intervals.push_back(
          metrics::bootstrap_interval(first.sentences, measure.on, alone, options.samples));
      if (i == 0) continue;
      standing.against.push_back(
          metrics::paired_bootstrap(first.sentences, goodness(first.measures[m]), goodness(measure),
                                    paired, options.samples));
    }
    standings.push_back(std::move(standing));
  }
  return standings;
}

}  // namespace heed::pipeline
