// SPDX-License-Identifier: Apache-2.0
// Systems side by side: a panel for each measure, a bar with its interval for each system.
#pragma once  // public header

#include <span>
#include <string>
#include <vector>

#pragma GCC visibility push(default)  // exported

namespace heed::insight {

struct ComparedBar {
  std::string name = {};
  double value = 0;
  double low = 0;  // where it would lie on other sentences; equal to value: not known
  double high = 0;
};

struct ComparedPanel {
  std::string measure = {};
  std::vector<ComparedBar> bars = {};
};

// UsageError without a panel, and for a panel without a bar.
std::string comparison_svg(std::span<const ComparedPanel> panels);

}  // namespace heed::insight

#pragma GCC visibility pop
