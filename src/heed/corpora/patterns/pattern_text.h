// SPDX-License-Identifier: Apache-2.0
// What files of patterns hold, as bytes in memory and written out again.
#pragma once

#include <string_view>

#include "heed/corpora/patterns/pattern_files.h"

namespace heed::corpora {

// As read_patterns has it; `name` stands for the path.
std::vector<PicturePattern> parse_patterns(std::string_view bytes, const std::string& name);
// As text that reads back to the same patterns.
std::string written_patterns(const std::vector<PicturePattern>& patterns);

}  // namespace heed::corpora
