// SPDX-License-Identifier: Apache-2.0
// Lines of a text file, one at a time, with their numbers: plain or gz, or standard input.
#pragma once  // public header

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "heed/text/bytes.h"

namespace heed::text {

// Between two lines. A file that has not changed resumes from there with the same lines.
struct LinePosition {
  std::uint64_t bytes = 0;  // of the content, unpacked
  std::uint64_t lines = 0;

  bool operator==(const LinePosition&) const = default;
};

class LineReader {
 public:
  // "-" is standard input. DataError when it cannot be opened.
  explicit LineReader(const std::filesystem::path& path);

  // The next line, without its end ("\n" or "\r\n") and without a byte order mark; false after the
  // last. DataError, with file and line, for bytes that are not UTF-8, for NUL, and for a line of
  // more than 16 MiB, which is no text.
  bool next(std::string& line);
  // Whether next() would give one.
  bool more() { return begin_ < end_ || fill(); }

  const std::string& name() const { return name_; }
  std::uint64_t line() const { return position_.lines; }  // number of the line read last, from 1
  const LinePosition& position() const { return position_; }
  // Plain files jump, gz files read up to there, standard input cannot (UsageError). DataError when
  // no line begins there.
  void seek(const LinePosition& position);

 private:
  bool fill();
  void check(std::string& line) const;

  std::string name_;
  std::unique_ptr<ByteStream> bytes_;
  std::unique_ptr<char[]> buffer_;
  std::size_t begin_ = 0;  // of what is left in the buffer
  std::size_t end_ = 0;
  LinePosition position_{};
};

// All lines of a file, plain or gz, or of standard input. DataError when there are none.
std::vector<std::string> read_lines(const std::filesystem::path& path);

}  // namespace heed::text
