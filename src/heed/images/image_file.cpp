// SPDX-License-Identifier: Apache-2.0
// Which format it is.
#include "heed/images/image_file.h"

#include <array>

#include "heed/base/error.h"
#include "heed/images/formats.h"

namespace heed::images {
namespace {

// How files begin that people will try, and what they are.
struct Foreign {
  std::size_t at;
  std::string_view begins;
  const char* name;
};
constexpr std::array<Foreign, 8> kForeign = {{{0, "GIF8", "a GIF"},
                                              {8, "WEBP", "a WebP"},
                                              {0, "BM", "a BMP"},
                                              {0, {"II*\0", 4}, "a TIFF"},
                                              {0, {"MM\0*", 4}, "a TIFF"},
                                              {4, "ftyp", "a HEIC, AVIF or video"},
                                              {0, "<svg", "an SVG"},
                                              {0, "%PDF", "a PDF"}}};

}  // namespace

void check_claimed_size(const std::string& name, std::int64_t width, std::int64_t height) {
  if (width < 1 || height < 1 || width > kMostSide || height > kMostSide ||
      width * height > kMostPixels) {
    throw DataError("{}: an image of {} x {}; it takes sides of 1 to {} and {} pixels at most",
                    name, width, height, kMostSide, kMostPixels);
  }
}

bool is_image(std::string_view bytes) {
  return is_png(bytes) || is_jpeg(bytes) || is_portable(bytes);
}

bool is_bitmap(std::string_view bytes) {
  return is_portable(bytes) && (bytes[1] == '1' || bytes[1] == '4');
}

Image parse_image(const NamedBytes& file) {
  if (is_png(file.bytes)) return parse_png(file);
  if (is_jpeg(file.bytes)) return parse_jpeg(file);
  if (is_portable(file.bytes)) return parse_portable(file);
  constexpr const char* kTaken = "give PNG, JPEG, PPM, PGM or PBM";
  if (file.bytes.empty()) throw DataError("{}: is empty; {}", file.name, kTaken);
  for (const Foreign& format : kForeign) {
    if (file.bytes.substr(std::min(format.at, file.bytes.size())).starts_with(format.begins)) {
      throw DataError("{}: is {}; {}", file.name, format.name, kTaken);
    }
  }
  throw DataError("{}: no image that is known by its first bytes; {}", file.name, kTaken);
}

Image read_image(const std::filesystem::path& path) {
  return parse_image({read_image_bytes(path), path.string()});
}

}  // namespace heed::images
