// SPDX-License-Identifier: Apache-2.0
// How `heed classify` writes its results: labels, probabilities, highlighted text, JSON, tables.
#pragma once

#include <vector>

#include "heed/base/options.h"
#include "heed/pipeline/classify/classifier.h"
#include "heed/pipeline/classify/classify_quality.h"

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

// `evidence` has a share for each aspect, or is empty. NaN is written "n/a", in JSON null.
void print_quality(const std::vector<pipeline::AspectQuality>& all,
                   const std::vector<double>& evidence, const ClassifyOutput& options);

}  // namespace heed::cli
