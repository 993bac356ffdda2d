// SPDX-License-Identifier: Apache-2.0
// From the probabilities of validation texts to temperatures and thresholds, and to choices.tsv.
#include "heed/pipeline/classify/confidence.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "heed/insight/draw/reliability_plot.h"
#include "heed/pipeline/choices.h"

namespace heed::pipeline {
namespace {

// Below, a probability of float may be 0; its logarithm would count for everything.
constexpr double kLeastProbability = 1e-30;

constexpr double kThresholds = 1e4;  // from 0 to 1

std::string temperature_of(const std::string& aspect) {
  return "temperature of " + aspect;
}

std::string threshold_of(const std::string& aspect) {
  return "threshold of " + aspect;
}

std::size_t best_of(const std::vector<double>& values) {
  return static_cast<std::size_t>(std::ranges::max_element(values) - values.begin());
}

double tempered(const std::vector<double>& scores, double temperature) {
  const double most = *std::ranges::max_element(scores);
  double sum = 0;
  for (const double score : scores) sum += std::exp((score - most) / temperature);
  return 1 / sum;  // of the best
}

}  // namespace

std::string ChosenConfidence::to_string() const {
  std::string text = fmt::format("temperature {:.2f}: calibration error {:.3f}, {:.3f} without it",
                                 chosen.temperature, metrics::calibration_error(after),
                                 metrics::calibration_error(before));
  if (chosen.threshold == 0) return text + "; no threshold: no prediction is right often enough";
  return text + fmt::format(
                    "; threshold {:.3f}: answers {:.1f}% of the texts, {:.1f}% of them "
                    "correctly",
                    chosen.threshold, 100 * threshold.coverage, 100 * threshold.accuracy);
}

std::vector<metrics::Judged> judged(std::span<const text::LabelledText> texts,
                                    std::span<const Classification> found, std::size_t aspect) {
  std::vector<metrics::Judged> all;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const Prediction& one = found[i].aspects[aspect];
    if (one.label.empty()) continue;  // an empty text
    all.push_back({one.probability, one.label == texts[i].labels[aspect]});
  }
  return all;
}

std::vector<ChosenConfidence> choose_confidence(std::span<const text::LabelledText> texts,
                                                std::span<const Classification> found,
                                                const text::Labels& labels, double accuracy) {
  std::vector<ChosenConfidence> all;
  for (std::size_t a = 0; a < labels.aspects().size(); ++a) {
    const text::Aspect& aspect = labels.aspects()[a];
    ChosenConfidence& mine = all.emplace_back();
    mine.aspect = aspect.name;
    mine.before = judged(texts, found, a);
    std::vector<metrics::ScoredExample> examples;
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const Prediction& one = found[i].aspects[a];
      if (one.label.empty()) continue;
      metrics::ScoredExample& example = examples.emplace_back();
      example.target = static_cast<std::size_t>(aspect.find(texts[i].labels[a]));
      for (const double share : one.probabilities) {
        example.scores.push_back(std::log(std::max(share, kLeastProbability)));
      }
    }
    mine.chosen.temperature = metrics::best_temperature(examples);
    for (const metrics::ScoredExample& example : examples) {
      mine.after.push_back({tempered(example.scores, mine.chosen.temperature),
                            best_of(example.scores) == example.target});
    }
    mine.threshold = metrics::threshold_for(mine.after, accuracy);
    // Rounded down, so that a prediction just at it is answered in float as well.
    if (mine.threshold.coverage > 0) {
      mine.chosen.threshold = std::floor(mine.threshold.threshold * kThresholds) / kThresholds;
    }
  }
  return all;
}

std::string reliability_picture(std::span<const ChosenConfidence> chosen) {
  std::vector<insight::ReliabilityPanel> panels;
  for (const ChosenConfidence& one : chosen) {
    panels.push_back({.title = one.aspect,
                      .lines = {{"as the model says", metrics::reliability(one.before)},
                                {"calibrated", metrics::reliability(one.after)}}});
  }
  return insight::reliability_svg(panels, "validation");
}

std::vector<Confidence> kept_confidence(const std::filesystem::path& folder,
                                        const text::Labels& labels) {
  std::vector<KnownChoice> known;
  for (const text::Aspect& aspect : labels.aspects()) {
    known.push_back({.name = temperature_of(aspect.name),
                     .low = metrics::kLowestTemperature,
                     .high = metrics::kHighestTemperature});
    known.push_back({.name = threshold_of(aspect.name), .low = 0, .high = 1});
  }
  const Choices choices = read_choices(folder, known);
  std::vector<Confidence> all;
  for (const text::Aspect& aspect : labels.aspects()) {
    if (choices.empty()) break;
    all.push_back({.temperature = pipeline::chosen(choices, temperature_of(aspect.name), 1),
                   .threshold = pipeline::chosen(choices, threshold_of(aspect.name), 0)});
  }
  return all;
}

void keep_confidence(const std::filesystem::path& folder,
                     std::span<const ChosenConfidence> chosen) {
  Choices choices;
  for (const ChosenConfidence& one : chosen) {
    choices[temperature_of(one.aspect)] = one.chosen.temperature;
    if (one.chosen.threshold > 0) choices[threshold_of(one.aspect)] = one.chosen.threshold;
  }
  write_choices(folder, choices);
}

}  // namespace heed::pipeline
