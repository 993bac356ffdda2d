// SPDX-License-Identifier: Apache-2.0
// Fuzz target of files of strips.
#include <cmath>

#include "heed/base/fuzzing.h"
#include "heed/corpora/strips/strip_files.h"

namespace heed::test {
namespace {

bool read_strip_file(std::string_view bytes) {
  const corpora::StripForm form{.height = 3, .alphabet = "abc"};
  return accepted([&] {
    for (const corpora::Strip& strip : corpora::parse_strips(bytes, form, "input")) {
      require(strip.frames() > 0, "a strip without frames");
      for (const float value : strip.values)
        require(std::isfinite(value), "a number is not finite");
      for (const int label : strip.labels) require(label >= 0 && label < 3, "a label beyond abc");
      require(corpora::parse_strips(corpora::written_strip(strip, form.alphabet), form, "again")
                      .front() == strip,
              "a strip comes back changed");
    }
  });
}

const FuzzTarget kStrips("strips", read_strip_file);

}  // namespace
}  // namespace heed::test
