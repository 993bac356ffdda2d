// SPDX-License-Identifier: Apache-2.0
// How sure a classifier is, and how sure it may be: the temperature that calibrates its
// probabilities (Guo 2017) and the threshold above which it is right often enough, both chosen on
// validation when training ends and kept in its folder.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "heed/metrics/calibration.h"
#include "heed/pipeline/classify/classifier.h"
#include "heed/text/labelled.h"

namespace heed::pipeline {

// What is known of one aspect's predictions on validation texts.
struct ChosenConfidence {
  std::string aspect{};
  Confidence chosen{};
  std::vector<metrics::Judged> before{};  // as the model said
  std::vector<metrics::Judged> after{};   // divided by the temperature
  metrics::ChosenThreshold threshold{};   // of `after`

  // "temperature 1.42: calibration error .031 instead of .084; threshold .71: answers 83% of the
  // texts, 95% of them correctly".
  std::string to_string() const;
};

// Of each aspect, from what a classifier that nobody has calibrated made of labelled texts. The
// threshold is the lowest from which on predictions are right at least as often as `accuracy`.
std::vector<ChosenConfidence> choose_confidence(std::span<const text::LabelledText> texts,
                                                std::span<const Classification> found,
                                                const text::Labels& labels, double accuracy);

// Whether each prediction of an aspect is right, and how probable it was.
std::vector<metrics::Judged> judged(std::span<const text::LabelledText> texts,
                                    std::span<const Classification> found, std::size_t aspect);

// An SVG of accuracy over confidence, before and after; perfect is the diagonal.
std::string reliability_picture(std::span<const ChosenConfidence> chosen);

// What a folder keeps of it, for each aspect; empty where it keeps nothing.
std::vector<Confidence> kept_confidence(const std::filesystem::path& folder,
                                        const text::Labels& labels);
void keep_confidence(const std::filesystem::path& folder, std::span<const ChosenConfidence> chosen);

}  // namespace heed::pipeline
