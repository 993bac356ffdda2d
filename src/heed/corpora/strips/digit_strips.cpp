// SPDX-License-Identifier: Apache-2.0
// IDX files, and digits side by side.
#include "heed/corpora/strips/digit_strips.h"

#include <algorithm>

#include "heed/base/error.h"
#include "heed/corpora/strips/strip_bytes.h"

namespace heed::corpora {
namespace {

constexpr std::int64_t kMostSide = 1024;       // of a picture
constexpr std::int64_t kMostPixels = 1 << 28;  // of all
constexpr std::int64_t kOverlap = 4, kMostGap = 8;

// IDX: 0, 0, 8 for bytes, the number of axes, the axes as big-endian words, then the bytes.
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

DigitSet DigitSet::slice(std::int64_t first, std::int64_t last) const {
  const std::int64_t picture = rows * columns;
  return {.rows = rows,
          .columns = columns,
          .pixels = {pixels.begin() + first * picture, pixels.begin() + last * picture},
          .labels = {labels.begin() + first, labels.begin() + last}};
}

DigitSet parse_digits(const NamedBytes& images, const NamedBytes& labels) {
  const IdxBytes pictures(images, 3, "pictures such as train-images-idx3-ubyte");
  const IdxBytes numbers(labels, 1, "labels such as train-labels-idx1-ubyte");
  const std::int64_t count = pictures.size(0);
  DigitSet digits{.rows = pictures.size(1), .columns = pictures.size(2)};
  // Each axis is below 2^32, so that sides are looked at before they are multiplied.
  if (count < 1 || digits.rows < 1 || digits.columns < 1 || digits.rows > kMostSide ||
      digits.columns > kMostSide || count > kMostPixels / (digits.rows * digits.columns)) {
    throw DataError(
        "{}: {} pictures of {} by {}; it takes 1 or more, of 1 to {} rows and columns, "
        "{} pixels in all at most",
        images.name, count, digits.rows, digits.columns, kMostSide, kMostPixels);
  }
  if (numbers.size(0) != count) {
    throw DataError("{}: {} labels for the {} pictures of {}; give the two files of one set",
                    labels.name, numbers.size(0), count, images.name);
  }
  digits.pixels = pictures.elements(count * digits.rows * digits.columns);
  digits.labels = numbers.elements(count);
  const auto strange =
      std::ranges::find_if(digits.labels, [](std::uint8_t label) { return label > 9; });
  if (strange != digits.labels.end()) {
    throw DataError("{}: label {} of picture {}; digits are 0 to 9", labels.name,
                    static_cast<int>(*strange), strange - digits.labels.begin() + 1);
  }
  return digits;
}

DigitSet read_digits(const std::filesystem::path& images, const std::filesystem::path& labels) {
  const std::string pictures = read_strip_bytes(images), numbers = read_strip_bytes(labels);
  return parse_digits({pictures, images.string()}, {numbers, labels.string()});
}

std::int64_t narrowest_strip(const DigitSet& digits, std::int64_t count) {
  return digits.columns + (count - 1) * std::max<std::int64_t>(1, digits.columns - kOverlap);
}

std::vector<Strip> draw_digit_strips(const DigitSet& digits, const DrawnStrips& wanted) {
  if (digits.size() == 0) throw UsageError("strips of digits: there are no digits to draw from");
  Random random = wanted.random();
  std::vector<Strip> strips;
  while (std::ssize(strips) < wanted.count) {
    Strip& strip = strips.emplace_back(Strip{.height = digits.rows, .labelled = true});
    std::int64_t at = 0;
    for (std::int64_t left = wanted.length(random); left > 0; --left) {
      const auto which =
          static_cast<std::int64_t>(random.integer(static_cast<std::uint64_t>(digits.size())));
      strip.values.resize(static_cast<std::size_t>((at + digits.columns) * digits.rows));
      const std::uint8_t* const picture =
          digits.pixels.data() + which * digits.rows * digits.columns;
      for (std::int64_t row = 0; row < digits.rows; ++row) {
        for (std::int64_t column = 0; column < digits.columns; ++column) {
          float& value = strip.values[static_cast<std::size_t>((at + column) * digits.rows + row)];
          value = std::max(value, static_cast<float>(picture[row * digits.columns + column]) / 255);
        }
      }
      strip.labels.push_back(digits.labels[static_cast<std::size_t>(which)]);
      strip.places.push_back({at, at + digits.columns});
      const auto gap = static_cast<std::int64_t>(random.integer(kOverlap + kMostGap + 1));
      at = std::max(at + 1, at + digits.columns + gap - kOverlap);
      if (left > 1 && at > strip.frames()) {
        strip.values.resize(static_cast<std::size_t>(at * digits.rows));
      }
    }
  }
  return strips;
}

}  // namespace heed::corpora
