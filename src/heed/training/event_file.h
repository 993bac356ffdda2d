// SPDX-License-Identifier: Apache-2.0
// Curves as event files, which TensorBoard reads.
//
// The format: records of a length (8 bytes, little-endian), its checksum, that many bytes of a
// protocol buffer, their checksum. A checksum is the CRC-32C of the bytes, turned by 15 bits plus
// 0xa282ead8, so that a file of records may itself be a record.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "heed/base/exported.h"
#include "heed/training/curve.h"

namespace heed::training {

// CRC-32C (Castagnoli): polynomial 0x1EDC6F41, bits reflected.
std::uint32_t crc32c(std::string_view bytes);

// A whole file with one scalar for each point of each series, tagged with its name; `seconds` since
// 1970 is what every event is dated.
HEED_EXPORTED std::string event_file(const Curve& curve, double seconds);

}  // namespace heed::training
