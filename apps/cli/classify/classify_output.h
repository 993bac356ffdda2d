// SPDX-License-Identifier: Apache-2.0
// How `heed classify` writes its results: labels, probabilities, highlighted text, JSON, tables.
#pragma once

#include <optional>
#include <vector>

#include "heed/base/options.h"
#include "heed/pipeline/classify/classifier.h"
#include "heed/pipeline/classify/classify_quality.h"
#include "heed/pipeline/classify/gold_trees.h"
#include "heed/pipeline/classify/rationale_quality.h"

namespace heed::cli {

struct ClassifyOutput {
  bool probabilities = false;
  bool highlight = false;
  bool json = false;

  void declare(Options& options);
  bool needs_attention() const { return highlight || json; }
};

void print_classification(const pipeline::Classification& found, const text::Labels& labels,
                          const ClassifyOutput& options);

// What is known besides of each aspect, or empty. NaN is written "n/a", in JSON null.
struct ShownQuality {
  std::vector<double> evidence{};  // how often attention is highest on it
  std::vector<pipeline::RationaleQuality> rationales{};
  std::optional<pipeline::TreeQuality> trees{};  // of the texts, whatever the aspect
};
void print_quality(const std::vector<pipeline::AspectQuality>& all, const ShownQuality& shown,
                   const ClassifyOutput& options);

}  // namespace heed::cli
