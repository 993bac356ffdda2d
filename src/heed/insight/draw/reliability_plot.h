// SPDX-License-Identifier: Apache-2.0
// The reliability diagram of a classifier: how often predictions are right, over how probable they
// were said to be. What is calibrated lies on the diagonal.
#pragma once  // public header

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/metrics/calibration.h"

#pragma GCC visibility push(default)  // exported

namespace heed::insight {

struct NamedReliability {
  std::string name = {};
  std::vector<metrics::ReliabilityBin> bins = {};
};

struct ReliabilityPanel {
  std::string title = {};
  std::vector<NamedReliability> lines = {};
};

// An SVG image, one panel below the other; bins without a prediction are left out.
std::string reliability_svg(std::span<const ReliabilityPanel> panels, std::string_view title);

}  // namespace heed::insight

#pragma GCC visibility pop
