// SPDX-License-Identifier: Apache-2.0
// Bytes of a plain or gz file, or of standard input, read from front to back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

namespace heed::text {

class ByteStream {
 public:
  virtual ~ByteStream() = default;
  // Fills the front of `into` and says how much; 0 only at the end. DataError when the file cannot
  // be read, or is gz and damaged or cut short.
  virtual std::size_t read(std::span<char> into) = 0;
  // Goes to that byte of the content. Plain files jump; gz files read up to there. DataError when
  // the content ends before; UsageError when the stream cannot go back.
  virtual void seek(std::uint64_t byte) = 0;
};

// "-" is standard input. Gz is known by its first two bytes, not by its name.
std::unique_ptr<ByteStream> open_bytes(const std::filesystem::path& path);

}  // namespace heed::text
