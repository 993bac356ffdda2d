// SPDX-License-Identifier: Apache-2.0
// IDX: 0, 0, 8 for bytes, the number of axes, the axes as big-endian words, then the bytes.
#include "heed/images/idx.h"

#include <algorithm>

#include "heed/base/error.h"

namespace heed::images {
namespace {

constexpr std::int64_t kMostIdxSide = 1024;       // of an image
constexpr std::int64_t kMostIdxPixels = 1 << 28;  // of all

class IdxBytes {
 public:
  IdxBytes(const NamedBytes& file, int axes, const char* what) : file_(file), axes_(axes) {
    const std::string_view bytes = file.bytes;
    if (bytes.size() < 4 || bytes[0] != 0 || bytes[1] != 0) {
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
  std::vector<std::uint8_t> elements(std::int64_t count) const {
    const auto there = static_cast<std::int64_t>(file_.bytes.size() - head());
    if (there != count) {
      throw DataError("{}: its sizes promise {} bytes, and {} follow; it is {}", file_.name, count,
                      there, there < count ? "cut short" : "damaged or of another kind");
    }
    const std::string_view rest = file_.bytes.substr(head());
    return {rest.begin(), rest.end()};
  }

 private:
  std::size_t head() const { return 4 + 4 * static_cast<std::size_t>(axes_); }

  const NamedBytes& file_;
  int axes_;
};

}  // namespace

ImageSet parse_idx(const NamedBytes& images, const NamedBytes& labels, int classes) {
  const IdxBytes pictures(images, 3, "pictures such as train-images-idx3-ubyte");
  const IdxBytes numbers(labels, 1, "labels such as train-labels-idx1-ubyte");
  const std::int64_t count = pictures.size(0);
  ImageSet set{.rows = pictures.size(1), .columns = pictures.size(2)};
  // Each axis is below 2^32, so that sides are looked at before they are multiplied.
  if (count < 1 || set.rows < 1 || set.columns < 1 || set.rows > kMostIdxSide ||
      set.columns > kMostIdxSide || count > kMostIdxPixels / (set.rows * set.columns)) {
    throw DataError(
        "{}: {} pictures of {} by {}; it takes 1 or more, of 1 to {} rows and columns, "
        "{} pixels in all at most",
        images.name, count, set.rows, set.columns, kMostIdxSide, kMostIdxPixels);
  }
  if (numbers.size(0) != count) {
    throw DataError("{}: {} labels for the {} pictures of {}; give the two files of one set",
                    labels.name, numbers.size(0), count, images.name);
  }
  set.pixels = pictures.elements(count * set.rows * set.columns);
  const std::vector<std::uint8_t> found = numbers.elements(count);
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

}  // namespace heed::images
