// SPDX-License-Identifier: Apache-2.0
// A cheap fingerprint of a data file: tells a changed corpus from the one a run began with.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace heed::text {

// ends: files of up to 4 MiB are read whole; of larger ones the first, middle and last MiB. A
// change elsewhere in a large file that keeps its size is not seen.
enum class FingerprintOf { ends, whole };

struct Fingerprint {
  std::uint64_t bytes = 0;
  std::uint64_t hash = 0;  // FNV-1a

  bool operator==(const Fingerprint&) const = default;
  std::string to_string() const;                            // "1048576-0f3c2b9a5d7e6841"
  static Fingerprint from_string(const std::string& text);  // DataError for any other form
};

// DataError when the path is no regular file or cannot be read.
Fingerprint fingerprint(const std::filesystem::path& path,
                        FingerprintOf part = FingerprintOf::ends);

}  // namespace heed::text
