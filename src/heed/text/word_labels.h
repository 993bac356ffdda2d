// SPDX-License-Identifier: Apache-2.0
// Labels of words: one line for each text, a label for each of its words, spaces between them.
//
//   det noun prep det noun
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "heed/base/exported.h"

namespace heed::text {

// The labels of the words of a text. `where` opens the message of an error: "test.parts:7".
// DataError for another number of labels.
HEED_EXPORTED std::vector<std::string> parse_word_labels(std::string_view line,
                                                         std::string_view text,
                                                         std::string_view where = "labels");

}  // namespace heed::text
