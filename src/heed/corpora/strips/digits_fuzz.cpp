// SPDX-License-Identifier: Apache-2.0
// Fuzz target of IDX files of digits.
#include <algorithm>

#include "heed/base/fuzzing.h"
#include "heed/corpora/strips/digit_strips.h"
#include "heed/images/idx.h"

namespace heed::test {
namespace {

// The first byte says how many of those after it are pictures; the rest are labels.
bool read_digit_files(std::string_view bytes) {
  if (bytes.empty()) return false;
  const std::size_t split =
      std::min(bytes.size(), 1 + static_cast<std::size_t>(static_cast<unsigned char>(bytes[0])));
  return accepted([&] {
    const images::ImageSet digits = images::parse_idx({bytes.substr(1, split - 1), "images"},
                                                      {bytes.substr(split), "labels"}, 10);
    require(std::ssize(digits.pixels) == digits.size() * digits.rows * digits.columns,
            "pictures without pixels");
    const auto strips = corpora::draw_digit_strips(digits, {.count = 2, .fewest = 1, .most = 3});
    for (const corpora::Strip& strip : strips) {
      require(strip.places.back().end <= strip.frames(), "a digit beyond its strip");
    }
  });
}

const FuzzTarget kDigits("digits", read_digit_files);

}  // namespace
}  // namespace heed::test
