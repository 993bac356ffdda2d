// SPDX-License-Identifier: Apache-2.0
// Plausibility: whether explanations of a classifier's answers find the words that decide, as gold
// evidence names them (DeYoung 2020).
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "heed/base/exported.h"
#include "heed/pipeline/classify/classifier.h"
#include "heed/pipeline/classify/classify_quality.h"

namespace heed::pipeline {

// Of the texts that have evidence.
struct Plausibility {
  struct Method {
    std::string written{};
    // Of the words of all texts in one order, shares scaled to the largest of their text: a random
    // order comes to the base rate.
    double pooled = 0;
    // The mean over texts of the average precision of their words: a random order comes to more
    // than the base rate, as the first of few words is often right by chance.
    double precision = 0;
    double deviation = 0;       // its standard deviation over texts
    std::size_t texts = 0;      // that count
    std::size_t undefined = 0;  // texts that have no shares
  };
  double base_rate = 0;   // the share of all words that is evidence
  std::size_t texts = 0;  // with evidence
  std::vector<Method> methods{};
};

// Of one aspect, of the class that the model says; a word ranks by its share, sign included. `done`
// is called after each text. UsageError for unequal counts, and for an explainer that the model has
// not what it needs for.
HEED_EXPORTED Plausibility plausibility(const Classifier& classifier,
                                        std::span<const text::LabelledText> texts,
                                        std::span<const Evidence> evidence, std::size_t aspect,
                                        std::span<const std::string> explainers,
                                        const std::function<void()>& done = nullptr);

}  // namespace heed::pipeline
