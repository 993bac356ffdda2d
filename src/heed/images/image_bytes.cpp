// SPDX-License-Identifier: Apache-2.0
// Reading up to the limit.
#include "heed/images/image_bytes.h"

#include <span>

#include "heed/base/error.h"
#include "heed/text/bytes.h"

namespace heed::images {

std::string read_image_bytes(const std::filesystem::path& path) {
  const auto stream = text::open_bytes(path);
  std::string bytes;
  constexpr std::size_t kAtOnce = 1 << 18;
  for (;;) {
    const std::size_t before = bytes.size();
    bytes.resize(before + kAtOnce);
    bytes.resize(before + stream->read(std::span(bytes.data() + before, kAtOnce)));
    if (bytes.size() == before) return bytes;
    if (bytes.size() > kMostFileBytes) {
      throw DataError("{}: more than {} bytes; files of images and strips have fewer",
                      path.string(), kMostFileBytes);
    }
  }
}

}  // namespace heed::images
