// SPDX-License-Identifier: Apache-2.0
// Labels between white space.
#include "heed/text/word_labels.h"

#include "heed/base/error.h"
#include "heed/text/white_space.h"

namespace heed::text {

std::vector<std::string> parse_word_labels(std::string_view line, std::string_view text,
                                           std::string_view where) {
  const std::size_t words = words_of(text).size();
  std::vector<std::string> labels;
  for (const std::string_view label : words_of(line)) labels.emplace_back(label);
  if (labels.size() != words) {
    throw DataError("{}: {} label{} for a text of {} word{}; give one for each, spaces between",
                    where, labels.size(), labels.size() == 1 ? "" : "s", words,
                    words == 1 ? "" : "s");
  }
  return labels;
}

}  // namespace heed::text
