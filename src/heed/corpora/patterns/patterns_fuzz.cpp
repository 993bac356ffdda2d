// SPDX-License-Identifier: Apache-2.0
// Fuzz target of files of patterns: text, PBM and PGM, IDX.
#include "heed/base/fuzzing.h"
#include "heed/corpora/patterns/pattern_text.h"

#include <cmath>

namespace heed::test {
namespace {

bool read_patterns(std::string_view bytes) {
  return accepted([&] {
    std::vector<corpora::PicturePattern> patterns = corpora::parse_patterns(bytes, "input");
    require(!patterns.empty(), "a file without patterns is accepted");
    for (corpora::PicturePattern& pattern : patterns) {
      require(pattern.rows > 0 && pattern.columns > 0, "an empty pattern");
      require(std::ssize(pattern.values) == pattern.rows * pattern.columns, "not rows by columns");
      require(pattern.rows == patterns.front().rows && pattern.columns == patterns.front().columns,
              "patterns of two sizes");
      for (const double value : pattern.values) {
        require(std::isfinite(value), "a number that is not finite");
      }
      pattern.name.clear();  // a name may be spaces
    }
    require(corpora::parse_patterns(corpora::written_patterns(patterns), "again") == patterns,
            "patterns come back changed");
  });
}

const FuzzTarget kPatterns("patterns", read_patterns);

}  // namespace
}  // namespace heed::test
