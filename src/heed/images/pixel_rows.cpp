// SPDX-License-Identifier: Apache-2.0
// Pixels written as numbers.
#include "heed/images/pixel_rows.h"

#include <fmt/format.h>

#include <array>

#include "heed/base/error.h"

namespace heed::images {

std::string pixel_rows(const ImageSet& set, const PixelRows& options) {
  if (options.levels < 2 || options.levels > 256) {
    throw UsageError("pixels: {} levels; it takes 2 to 256", options.levels);
  }
  std::array<std::string, 256> written;
  for (std::int64_t value = 0; value < 256; ++value) {
    written[static_cast<std::size_t>(value)] = fmt::format("{}", value * options.levels / 256);
  }
  std::string rows;
  for (std::int64_t i = 0; i < set.size(); ++i) {
    const std::string& name =
        set.names.at(static_cast<std::size_t>(set.labels[static_cast<std::size_t>(i)]));
    if (name.find_first_of("\t\r\n") != std::string::npos) {
      throw UsageError("pixels: the label \"{}\" holds a tab or a line break; rename it", name);
    }
    rows += name;
    const std::uint8_t* pixels = set.image_data(i);
    for (std::int64_t p = 0; p < set.image_bytes(); ++p) {
      rows += p == 0 ? '\t' : ' ';
      rows += written[pixels[p]];
    }
    rows += '\n';
  }
  return rows;
}

}  // namespace heed::images
