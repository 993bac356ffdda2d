// SPDX-License-Identifier: Apache-2.0
// The bytes of files that strips are read from, plain or gz, and no more than these may have.
#pragma once

#include <filesystem>
#include <string>

namespace heed::corpora {

inline constexpr std::size_t kMostStripBytes = std::size_t{1} << 29;

// DataError for a file that cannot be read or is larger.
std::string read_strip_bytes(const std::filesystem::path& path);

}  // namespace heed::corpora
