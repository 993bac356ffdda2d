// SPDX-License-Identifier: Apache-2.0
// Many images of one size with a label each, kept as bytes: a quarter of what floats take.
#pragma once  // public header

#include <string>
#include <vector>

#include "heed/images/image.h"

#pragma GCC visibility push(default)  // exported

namespace heed::images {

struct ImageSet {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t channels = 1;
  std::vector<std::uint8_t> pixels{};  // image after image, each as Image has them
  std::vector<int> labels{};           // of each image
  std::vector<std::string> names{};    // of each label

  std::int64_t size() const { return static_cast<std::int64_t>(labels.size()); }
  std::int64_t image_bytes() const { return rows * columns * channels; }
  const std::uint8_t* image_data(std::int64_t which) const {
    return pixels.data() + which * image_bytes();
  }
  Image image(std::int64_t which) const;
  // UsageError for an image of another size.
  void add(const Image& image, int label);
  // Those from `first` to before `last`.
  ImageSet slice(std::int64_t first, std::int64_t last) const;
};

}  // namespace heed::images

#pragma GCC visibility pop
