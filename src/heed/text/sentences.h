// SPDX-License-Identifier: Apache-2.0
// Sentences of a line, by their punctuation.
#pragma once

#include <string_view>
#include <vector>

namespace heed::text {

// Cuts after . ! ? … with the quotes and brackets that close there, where white space follows, and
// after 。！？ anywhere. Abbreviations are cut too. The views point into the line, without white
// space at their ends; the line must be UTF-8.
std::vector<std::string_view> sentences_of(std::string_view line);

}  // namespace heed::text
