// SPDX-License-Identifier: Apache-2.0
// Fuzz target of labels of words: the first line is the text, the second its labels.
#include "heed/text/word_labels.h"

#include "heed/base/fuzzing.h"
#include "heed/text/white_space.h"

namespace heed::test {
namespace {

bool read_word_labels(std::string_view bytes) {
  return accepted([&] {
    const std::size_t end = std::min(bytes.find('\n'), bytes.size());
    const std::string_view text = bytes.substr(0, end);
    const auto labels =
        text::parse_word_labels(bytes.substr(std::min(end + 1, bytes.size())), text);
    require(labels.size() == text::words_of(text).size(), "another number of labels than of words");
    for (const std::string& label : labels) require(!label.empty(), "an empty label");
  });
}

const FuzzTarget kWordLabels("word_labels", read_word_labels);

}  // namespace
}  // namespace heed::test
