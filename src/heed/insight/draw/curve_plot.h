// SPDX-License-Identifier: Apache-2.0
// The picture of a training: its losses in one panel and each other metric in a panel of its own.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "heed/base/exported.h"
#include "heed/training/curve.h"

namespace heed::insight {

// An SVG image of at most a thousand points a line, more than the pixels it has.
std::string curve_svg(const training::Curve& curve, std::string_view title);

struct NamedCurve {
  std::string name = {};
  training::Curve curve = {};
};

// Several runs in one image: a panel for each series that any of them has, a line for each run.
// With names, only the series that are named; UsageError for one that no run has, naming what there
// is.
HEED_EXPORTED std::string curves_svg(std::span<const NamedCurve> runs, std::string_view title,
                                     std::span<const std::string> names = {});

}  // namespace heed::insight
