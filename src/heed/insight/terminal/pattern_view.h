// SPDX-License-Identifier: Apache-2.0
// Pictures of bits side by side in the terminal, two pixels to a character.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "heed/base/exported.h"

namespace heed::insight {

struct ViewedPattern {
  std::string title = {};
  std::vector<double> values = {};  // rows by columns; above 0 is ink, 0 unknown
};

// As many beside each other as `width` columns hold, the others below them. Unknown pixels are
// hatched.
//
//   damaged   step 1
//   ▄█▀▀█▄    ▄█▀▀█▄
//   ░░░░░░    ▀█▄▄█▀
HEED_EXPORTED std::string pattern_view(std::span<const ViewedPattern> patterns,
                                       std::int64_t columns, std::size_t width = 80);

}  // namespace heed::insight
