// SPDX-License-Identifier: Apache-2.0
// Fuzz target of a folder's examples: whatever the file holds, what is shown is short and clean.
#include "heed/base/fuzzing.h"
#include "heed/base/text.h"
#include "heed/pipeline/examples.h"

namespace heed::test {
namespace {

bool read_example_lines(std::string_view bytes) {
  const std::vector<std::string> examples = pipeline::parse_examples(bytes);
  require(examples.size() <= pipeline::kMostExamples, "more examples than a page shows");
  for (const std::string& example : examples) {
    require(!example.empty() && example.size() <= pipeline::kLongestExample, "an odd length");
    require(invalid_utf8(example) == example.npos, "an example is not UTF-8");
    require(example.find('\n') == example.npos && example.find('\0') == example.npos,
            "an example holds more than a text");
  }
  return !examples.empty();
}

const FuzzTarget kExamples("examples", read_example_lines);

}  // namespace
}  // namespace heed::test
