// SPDX-License-Identifier: Apache-2.0
// Foreign bytes that may be images, by the name they are called in messages, and how much of them
// is taken.
#pragma once  // public header

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#pragma GCC visibility push(default)  // exported

namespace heed::images {

// What a file may promise: beyond this it is refused before anything is made of it.
inline constexpr std::int64_t kMostSide = 1 << 14;
inline constexpr std::int64_t kMostPixels = 1 << 24;
inline constexpr std::size_t kMostFileBytes = std::size_t{1} << 29;  // unpacked

struct NamedBytes {
  std::string_view bytes{};
  std::string name{};
};

// All bytes of a file, plain or gz. DataError for one that cannot be read or has more.
std::string read_image_bytes(const std::filesystem::path& path);

}  // namespace heed::images

#pragma GCC visibility pop
