// SPDX-License-Identifier: Apache-2.0
// Fuzz target of a folder's choices: whatever the file holds, a number that is taken is within its
// limits.
#include <array>

#include "heed/base/fuzzing.h"
#include "heed/pipeline/choices.h"

namespace heed::test {
namespace {

bool read_choice_lines(std::string_view bytes) {
  const std::array<pipeline::KnownChoice, 2> known = {
      {{.name = "length-alpha", .low = 0, .high = 10},
       {.name = "threshold of label", .low = 0, .high = 1}}};
  return accepted([&] {
    const pipeline::Choices found = pipeline::parse_choices(bytes, "choices.tsv", known);
    require(found.size() <= known.size(), "more choices than there are");
    for (const pipeline::KnownChoice& one : known) {
      const double value = pipeline::chosen(found, one.name, one.low);
      require(value >= one.low && value <= one.high, "a choice is out of its limits");
    }
  });
}

const FuzzTarget kChoices("choices", read_choice_lines);

}  // namespace
}  // namespace heed::test
