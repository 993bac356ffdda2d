// SPDX-License-Identifier: Apache-2.0
// Zip archives whose entries are stored as they are, as PyTorch writes them: read in place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>

namespace heed {

// The entries of an archive by name: views into the bytes. Entries that are compressed, encrypted,
// overlap or lie outside, names that are there twice, and archives of several parts are a DataError
// that begins with `name` and says where. Sizes are those of the central directory; zip64 is read.
std::map<std::string, std::span<const std::byte>> stored_entries(std::span<const std::byte> bytes,
                                                                 const std::string& name);

}  // namespace heed
