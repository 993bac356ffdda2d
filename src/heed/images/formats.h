// SPDX-License-Identifier: Apache-2.0
// One function for each format that is read; image_file.h chooses.
#pragma once

#include "heed/images/image.h"
#include "heed/images/image_bytes.h"

namespace heed::images {

bool is_png(std::string_view bytes);
Image parse_png(const NamedBytes& file);

bool is_jpeg(std::string_view bytes);
Image parse_jpeg(const NamedBytes& file);

bool is_portable(std::string_view bytes);  // P1 to P6
Image parse_portable(const NamedBytes& file);

// DataError for sides and pixels beyond the limits.
void check_claimed_size(const std::string& name, std::int64_t width, std::int64_t height);

}  // namespace heed::images
