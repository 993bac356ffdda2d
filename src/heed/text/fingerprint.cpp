// SPDX-License-Identifier: Apache-2.0
// A cheap fingerprint of a data file.
#include "heed/text/fingerprint.h"

#include <fmt/format.h>

#include <charconv>
#include <cstddef>
#include <span>

#include "heed/base/error.h"
#include "heed/base/file.h"

namespace heed::text {
namespace {

constexpr std::size_t kBlockBytes = 1024 * 1024;

// Fowler, Noll and Vo's hash, 64 bits: XOR each byte, then multiply by the prime.
std::uint64_t fnv1a(std::span<const std::byte> bytes, std::uint64_t hash) {
  for (const std::byte byte : bytes) {
    hash = (hash ^ static_cast<std::uint64_t>(byte)) * 0x100000001B3u;
  }
  return hash;
}

template <typename Number>
bool parse(std::string_view text, int base, Number& number) {
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number, base);
  return error == std::errc() && stop == end;
}

}  // namespace

std::string Fingerprint::to_string() const {
  return fmt::format("{}-{:016x}", bytes, hash);
}

Fingerprint Fingerprint::from_string(const std::string& text) {
  Fingerprint result;
  const std::size_t dash = text.find('-');
  const std::string_view all = text;
  if (dash == std::string::npos || text.size() != dash + 17 ||
      !parse(all.substr(0, dash), 10, result.bytes) ||
      !parse(all.substr(dash + 1), 16, result.hash)) {
    throw DataError(
        "\"{}\" is not the fingerprint of a file: it is a size, a dash and 16 hex digits", text);
  }
  return result;
}

Fingerprint fingerprint(const std::filesystem::path& path, FingerprintOf part) {
  const MappedFile file(path);
  const std::span<const std::byte> bytes = file.bytes();
  Fingerprint result{.bytes = bytes.size(), .hash = 0xCBF29CE484222325u};
  if (part == FingerprintOf::whole || bytes.size() <= 4 * kBlockBytes) {
    result.hash = fnv1a(bytes, result.hash);
    return result;
  }
  result.hash = fnv1a(bytes.first(kBlockBytes), result.hash);
  result.hash = fnv1a(bytes.subspan((bytes.size() - kBlockBytes) / 2, kBlockBytes), result.hash);
  result.hash = fnv1a(bytes.last(kBlockBytes), result.hash);
  return result;
}

}  // namespace heed::text
