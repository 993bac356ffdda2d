// SPDX-License-Identifier: Apache-2.0
// The picture of a training: its losses in one panel and each other metric in a panel of its own.
#pragma once

#include <string>
#include <string_view>

#include "heed/training/curve.h"

namespace heed::insight {

// An SVG image of at most a thousand points a line, more than the pixels it has.
std::string curve_svg(const training::Curve& curve, std::string_view title);

}  // namespace heed::insight
