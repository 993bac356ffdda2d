// SPDX-License-Identifier: Apache-2.0
// PNG by libpng. Its simplified interface keeps its own jumps to itself and says what was wrong;
// chunks are walked here first, for what it would read over: animations, and files without an end.
#include <png.h>

#include <vector>

#include "heed/base/error.h"
#include "heed/images/formats.h"
#include "heed/images/image_file.h"

namespace heed::images {
namespace {

constexpr std::string_view kSignature("\x89PNG\r\n\x1a\n", 8);
constexpr std::size_t kHeaderEnd = 8 + 8 + 13 + 4;  // signature and IHDR
// Deflate makes at most 1032 bytes of one.
constexpr std::size_t kMostInflation = 1032;

std::uint32_t big_endian(std::string_view bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i)
    value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
  return value;
}

// libpng's memory, given back however this ends.
struct OpenPng {
  OpenPng() { image.version = PNG_IMAGE_VERSION; }
  ~OpenPng() { png_image_free(&image); }
  OpenPng(const OpenPng&) = delete;
  OpenPng& operator=(const OpenPng&) = delete;

  png_image image{};
};

// Chunk by chunk: a length, a name, so many bytes and their checksum.
void check_chunks(const NamedBytes& file) {
  const std::string_view bytes = file.bytes;
  if (bytes.size() < kHeaderEnd || bytes.substr(12, 4) != "IHDR") {
    throw DataError("{}: a PNG that is cut short in its head", file.name);
  }
  const std::int64_t width = big_endian(bytes, 16), height = big_endian(bytes, 20);
  check_claimed_size(file.name, width, height);
  std::size_t data = 0;
  bool ended = false;
  for (std::size_t at = kSignature.size(); !ended;) {
    const std::size_t left = bytes.size() - at;
    const std::size_t length = left < 12 ? 0 : big_endian(bytes, at);
    if (left < 12 || length > left - 12) {
      throw DataError("{}: a PNG that is cut short after {} bytes; copy the file again", file.name,
                      bytes.size());
    }
    const std::string_view name = bytes.substr(at + 4, 4);
    if (name == "acTL") {
      throw DataError("{}: an animated PNG; give one of its pictures", file.name);
    }
    if (name == "IDAT") data += length;
    ended = name == "IEND";
    at += 12 + length;
  }
  // Bits of a pixel, at least; rows have a byte more.
  const auto bits = static_cast<std::size_t>(static_cast<unsigned char>(bytes[24]));
  const std::size_t raw =
      static_cast<std::size_t>(height) * (static_cast<std::size_t>(width) * bits / 8 + 1);
  if (raw / kMostInflation > data) {
    throw DataError("{}: a PNG that says it has {} x {} pixels, which its {} bytes cannot hold",
                    file.name, width, height, bytes.size());
  }
}

}  // namespace

bool is_png(std::string_view bytes) {
  return bytes.starts_with(kSignature);
}

Image parse_png(const NamedBytes& file) {
  check_chunks(file);
  OpenPng open;
  const auto check = [&](int fine) {
    if (fine == 0 || open.image.warning_or_error != 0) {
      throw DataError("{}: a PNG that cannot be read: {}", file.name, open.image.message);
    }
  };
  check(png_image_begin_read_from_memory(&open.image, file.bytes.data(), file.bytes.size()));
  const bool colour = (open.image.format & PNG_FORMAT_FLAG_COLOR) != 0;
  open.image.format = colour ? PNG_FORMAT_RGB : PNG_FORMAT_GRAY;
  open.image.flags |= PNG_IMAGE_FLAG_16BIT_sRGB;
  std::vector<std::uint8_t> pixels(PNG_IMAGE_SIZE(open.image));
  const png_color white{255, 255, 255};
  const std::int64_t height = open.image.height, width = open.image.width;
  check(png_image_finish_read(&open.image, &white, pixels.data(), 0, nullptr));
  return Image::of_bytes(height, width, colour ? 3 : 1, pixels);
}

std::string png_bytes(const Image& image) {
  OpenPng open;
  open.image.width = static_cast<png_uint_32>(image.width);
  open.image.height = static_cast<png_uint_32>(image.height);
  open.image.format = image.channels == 3 ? PNG_FORMAT_RGB : PNG_FORMAT_GRAY;
  const std::vector<std::uint8_t> pixels = image.bytes();
  std::string bytes(PNG_IMAGE_PNG_SIZE_MAX(open.image), '\0');
  png_alloc_size_t size = bytes.size();
  if (png_image_write_to_memory(&open.image, bytes.data(), &size, 0, pixels.data(), 0, nullptr) ==
      0) {
    throw InternalError("a PNG of {} cannot be written: {}", image.size_text(), open.image.message);
  }
  bytes.resize(size);
  return bytes;
}

}  // namespace heed::images
