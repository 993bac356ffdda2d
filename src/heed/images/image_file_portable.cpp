// SPDX-License-Identifier: Apache-2.0
// PBM, PGM and PPM, plain (P1 to P3) and raw (P4 to P6).
#include <algorithm>
#include <charconv>

#include "heed/base/error.h"
#include "heed/images/formats.h"
#include "heed/images/image_file.h"

namespace heed::images {
namespace {

constexpr std::string_view kSpaces = " \t\r\n";

// The head and the plain numbers: words, and comments from # to the end of a line.
class Words {
 public:
  explicit Words(const NamedBytes& file) : bytes_(file.bytes), name_(file.name) {}

  std::int64_t number(const char* what, std::int64_t most) {
    skip();
    const std::size_t begin = at_;
    while (at_ < bytes_.size() && bytes_[at_] >= '0' && bytes_[at_] <= '9' && at_ - begin < 10) {
      ++at_;
    }
    std::int64_t found = 0;
    std::from_chars(bytes_.data() + begin, bytes_.data() + at_, found);
    if (at_ == begin || found > most) {
      throw DataError(
          "{}:{}: {} is missing, or not from 0 to {}; an image says its kind, width, height and, "
          "but for bits, the lightest value",
          name_, line(), what, most);
    }
    return found;
  }
  // One of the bits of a plain PBM, which need nothing between them.
  bool bit() {
    skip();
    if (at_ == bytes_.size() || (bytes_[at_] != '0' && bytes_[at_] != '1')) {
      throw DataError("{}:{}: a bit is missing; a plain PBM has 0 and 1, width times height", name_,
                      line());
    }
    return bytes_[at_++] == '1';
  }
  // What follows the one space after the head.
  std::string_view raw(std::size_t count) const {
    const std::size_t begin = std::min(at_ + 1, bytes_.size());
    if (bytes_.size() - begin < count) {
      throw DataError("{}: {} bytes of the image where it takes {}; it is cut short", name_,
                      bytes_.size() - begin, count);
    }
    return bytes_.substr(begin, count);
  }
  // Of plain values, each a digit and a space at least, so that memory is bounded by the file.
  void need(std::size_t values) const {
    if (bytes_.size() - at_ < values) {
      throw DataError("{}: {} bytes for {} values; it is cut short", name_, bytes_.size() - at_,
                      values);
    }
  }

 private:
  void skip() {
    while (at_ < bytes_.size()) {
      if (bytes_[at_] == '#') {
        at_ = std::min(bytes_.find('\n', at_), bytes_.size());
      } else if (kSpaces.find(bytes_[at_]) == std::string_view::npos) {
        return;
      } else {
        ++at_;
      }
    }
  }
  std::int64_t line() const { return 1 + std::ranges::count(bytes_.substr(0, at_), '\n'); }

  std::string_view bytes_;
  const std::string& name_;
  std::size_t at_ = 2;  // after the kind
};

}  // namespace

bool is_portable(std::string_view bytes) {
  return bytes.size() > 2 && bytes[0] == 'P' && bytes[1] >= '1' && bytes[1] <= '6' &&
         (kSpaces.find(bytes[2]) != std::string_view::npos || bytes[2] == '#');
}

Image parse_portable(const NamedBytes& file) {
  const char kind = file.bytes[1];
  Words words(file);
  const std::int64_t width = words.number("the width", kMostPixels);
  const std::int64_t height = words.number("the height", kMostPixels);
  check_claimed_size(file.name, width, height);
  const bool bits = kind == '1' || kind == '4';
  const std::int64_t lightest = bits ? 1 : words.number("the lightest value", 65535);
  if (lightest == 0) {
    throw DataError("{}: its lightest value is 0; it takes 1 to 65535", file.name);
  }
  const std::int64_t channels = kind == '3' || kind == '6' ? 3 : 1;
  const auto count = static_cast<std::size_t>(width * height * channels);
  const std::size_t wide = lightest > 255 ? 2 : 1;
  const std::int64_t stride = (width + 7) / 8;  // of bits: rows begin with a byte
  std::string_view raw;
  if (kind == '4') raw = words.raw(static_cast<std::size_t>(stride * height));
  if (kind == '5' || kind == '6') raw = words.raw(count * wide);
  if (kind <= '3') words.need(count);
  Image image = Image::filled(height, width, channels);
  const auto shade = [&](std::int64_t value) {
    if (value > lightest) {
      throw DataError("{}: a value of {} above the lightest, {}", file.name, value, lightest);
    }
    return static_cast<float>(value) / static_cast<float>(lightest);
  };
  for (std::size_t i = 0; i < count; ++i) {
    float& value = image.pixels[i];
    if (kind == '1') {
      value = words.bit() ? 0 : 1;  // 1 is ink
    } else if (kind == '4') {
      const auto row = static_cast<std::int64_t>(i) / width;
      const auto column = static_cast<std::int64_t>(i) % width;
      const char byte = raw[static_cast<std::size_t>(row * stride + column / 8)];
      value = (byte >> (7 - column % 8) & 1) != 0 ? 0 : 1;
    } else if (kind <= '3') {
      value = shade(words.number("a value", lightest));
    } else {
      std::int64_t number = static_cast<unsigned char>(raw[i * wide]);
      if (wide == 2) number = number * 256 + static_cast<unsigned char>(raw[i * wide + 1]);
      value = shade(number);
    }
  }
  return image;
}

std::string portable_bytes(const Image& image) {
  std::string bytes =
      fmt::format("P{}\n{} {}\n255\n", image.channels == 3 ? 6 : 5, image.width, image.height);
  for (const std::uint8_t byte : image.bytes()) bytes += static_cast<char>(byte);
  return bytes;
}

}  // namespace heed::images
