// SPDX-License-Identifier: Apache-2.0
// Strips of written digits: pictures of single digits from IDX files (MNIST), side by side, with 4
// columns of overlap up to 8 of ground between them. Ink is 1, ground 0; a frame is a column.
#pragma once  // public header

#include <string_view>
#include <vector>

#include "heed/corpora/strips/strips.h"
#include "heed/images/image_set.h"

#pragma GCC visibility push(default)  // exported

namespace heed::corpora {

inline constexpr std::string_view kDigitAlphabet = "0123456789";

// Columns of so many digits side by side, each over as much of the one before as may be.
std::int64_t narrowest_strip(const images::ImageSet& digits, std::int64_t count);
// UsageError for a set without digits, or with labels above 9.
std::vector<Strip> draw_digit_strips(const images::ImageSet& digits, const DrawnStrips& wanted);

}  // namespace heed::corpora

#pragma GCC visibility pop
