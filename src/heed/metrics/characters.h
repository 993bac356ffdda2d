// SPDX-License-Identifier: Apache-2.0
// Characters of UTF-8 text as metrics see them: code points, white space, lower case.
//
// White space is what Python splits at, or the numbers would not be sacreBLEU's; and a hypothesis
// may hold any bytes, so nothing here demands UTF-8.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "heed/base/exported.h"

namespace heed::metrics {

// The code points of text, as views into it. A byte that is not UTF-8 counts as one.
std::vector<std::string_view> characters(std::string_view text);

// White space of Unicode, the no-break and ideographic spaces included.
bool is_space(std::string_view character);

// What white space separates, as views into text.
std::vector<std::string_view> words(std::string_view text);

// Every letter in lower case; what is not UTF-8 stays as it is.
HEED_EXPORTED std::string lower_case(std::string_view text);

}  // namespace heed::metrics
