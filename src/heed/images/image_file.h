// SPDX-License-Identifier: Apache-2.0
// Files of images: PNG, JPEG and the portable PBM, PGM, PPM are read; PNG and PPM are written.
#pragma once  // public header

#include <filesystem>
#include <string>

#include "heed/images/image.h"
#include "heed/images/image_bytes.h"

#pragma GCC visibility push(default)  // exported

namespace heed::images {

// Grey or colour as the file has it, of at most kMostPixels; what is transparent lies on white.
// Known by its bytes, not its name. DataError, with the file's name, for other formats, for
// animations, for files that are cut short, damaged or larger than that, and for those whose bytes
// cannot hold the size they claim: that is asked before memory is taken.
Image read_image(const std::filesystem::path& path);
Image parse_image(const NamedBytes& file);

// Whether bytes begin as a format that is read does, and as a PBM, whose bits say where ink is.
bool is_image(std::string_view bytes);
bool is_bitmap(std::string_view bytes);

// The whole of a PNG file, of 8 bits a channel.
std::string png_bytes(const Image& image);
// PGM of a grey image, PPM of a coloured one.
std::string portable_bytes(const Image& image);

}  // namespace heed::images

#pragma GCC visibility pop
