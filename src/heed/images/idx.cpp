// SPDX-License-Identifier: Apache-2.0
// IDX: 0, 0, 8 for bytes, the number of axes, the axes as big-endian words, then the bytes.
#include "heed/images/idx.h"

#include <algorithm>
#include <initializer_list>

#include "heed/base/error.h"

namespace heed::images {
namespace {

constexpr std::int64_t kMostIdxSide = 1024;       // of an image
constexpr std::int64_t kMostIdxPixels = 1 << 28;  // of all

class IdxBytes {
 public:
  IdxBytes(const NamedBytes& file, int axes, const char* what) : file_(file), axes_(axes) {
    const std::string_view bytes = file.bytes;
    if (!is_idx(bytes)) {
      throw DataError("{}: no IDX file, which begins with two bytes of 0; give {}", file.name,
                      what);
    }
    if (bytes[2] != 8 || bytes[3] != axes) {
      throw DataError("{}: an IDX file of {} axes and type {}; give {} (type 8, {} ax{})",
                      file.name, static_cast<int>(bytes[3]), static_cast<int>(bytes[2]), what, axes,
                      axes == 1 ? "is" : "es");
    }
    if (bytes.size() < head()) {
      throw DataError("{}: {} bytes, which is less than its head; it is cut short", file.name,
                      bytes.size());
    }
  }
  std::int64_t size(int axis) const {
    std::int64_t value = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      value = value * 256 +
              static_cast<unsigned char>(file_.bytes[4 + 4 * static_cast<std::size_t>(axis) + i]);
    }
    return value;
  }
  // The bytes of the elements, which the axes must promise exactly.
  std::span<const std::uint8_t> elements(std::int64_t count) const {
    const auto there = static_cast<std::int64_t>(file_.bytes.size() - head());
    if (there != count) {
      throw DataError("{}: its sizes promise {} bytes, and {} follow; it is {}", file_.name, count,
                      there, there < count ? "cut short" : "damaged or of another kind");
    }
    return {reinterpret_cast<const std::uint8_t*>(file_.bytes.data()) + head(),
            static_cast<std::size_t>(count)};
  }

 private:
  std::size_t head() const { return 4 + 4 * static_cast<std::size_t>(axes_); }

  const NamedBytes& file_;
  int axes_;
};

std::string idx_head(std::initializer_list<std::int64_t> sizes) {
  std::string bytes = {0, 0, 8, static_cast<char>(sizes.size())};
  for (const std::int64_t size : sizes) {
    for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(size >> shift & 255);
  }
  return bytes;
}

}  // namespace

bool is_idx(std::string_view bytes) {
  return bytes.size() >= 4 && bytes[0] == 0 && bytes[1] == 0;
}

IdxImages parse_idx_images(const NamedBytes& file) {
  const IdxBytes pictures(file, 3, "pictures such as train-images-idx3-ubyte");
  IdxImages found{.count = pictures.size(0), .rows = pictures.size(1), .columns = pictures.size(2)};
  // Each axis is below 2^32, so that sides are looked at before they are multiplied.
  if (found.count < 1 || found.rows < 1 || found.columns < 1 || found.rows > kMostIdxSide ||
      found.columns > kMostIdxSide || found.count > kMostIdxPixels / (found.rows * found.columns)) {
    throw DataError(
        "{}: {} pictures of {} by {}; it takes 1 or more, of 1 to {} rows and columns, "
        "{} pixels in all at most",
        file.name, found.count, found.rows, found.columns, kMostIdxSide, kMostIdxPixels);
  }
  found.pixels = pictures.elements(found.count * found.rows * found.columns);
  return found;
}

ImageSet parse_idx(const NamedBytes& images, const NamedBytes& labels, int classes) {
  const IdxImages pictures = parse_idx_images(images);
  const IdxBytes numbers(labels, 1, "labels such as train-labels-idx1-ubyte");
  const std::int64_t count = pictures.count;
  if (numbers.size(0) != count) {
    throw DataError("{}: {} labels for the {} pictures of {}; give the two files of one set",
                    labels.name, numbers.size(0), count, images.name);
  }
  const std::span<const std::uint8_t> found = numbers.elements(count);
  ImageSet set{.rows = pictures.rows, .columns = pictures.columns};
  set.pixels.assign(pictures.pixels.begin(), pictures.pixels.end());
  set.labels.assign(found.begin(), found.end());
  const auto strange =
      std::ranges::find_if(set.labels, [classes](int label) { return label >= classes; });
  if (strange != set.labels.end()) {
    throw DataError("{}: label {} of picture {}; it takes 0 to {}", labels.name, *strange,
                    strange - set.labels.begin() + 1, classes - 1);
  }
  for (int label = 0; label <= std::ranges::max(set.labels); ++label) {
    set.names.push_back(fmt::format("{}", label));
  }
  return set;
}

ImageSet read_idx(const std::filesystem::path& images, const std::filesystem::path& labels,
                  int classes) {
  const std::string pictures = read_image_bytes(images), numbers = read_image_bytes(labels);
  return parse_idx({pictures, images.string()}, {numbers, labels.string()}, classes);
}

std::string idx_of_images(const ImageSet& set) {
  if (set.channels != 1) {
    throw UsageError("idx: images of {} channels; these files are grey", set.channels);
  }
  std::string bytes = idx_head({set.size(), set.rows, set.columns});
  bytes.append(set.pixels.begin(), set.pixels.end());
  return bytes;
}

std::string idx_of_labels(const ImageSet& set) {
  std::string bytes = idx_head({set.size()});
  for (const int label : set.labels) {
    if (label < 0 || label > 255) throw UsageError("idx: label {}; it takes 0 to 255", label);
    bytes += static_cast<char>(label);
  }
  return bytes;
}

}  // namespace heed::images
