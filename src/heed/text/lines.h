// SPDX-License-Identifier: Apache-2.0
// Lines of a text file, one at a time, with their numbers: plain or gz, or standard input.
#pragma once  // public header

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "heed/text/bytes.h"

#pragma GCC visibility push(default)  // exported

namespace heed::text {

// Between two lines. A file that has not changed resumes from there with the same lines.
struct LinePosition {
  std::uint64_t bytes = 0;  // of the content, unpacked
  std::uint64_t lines = 0;

  bool operator==(const LinePosition&) const = default;
};

// What a reader does with lines that are no text. One that looks for mistakes takes them as they
// are: bytes that are not UTF-8, NUL, and of a line that is too long its beginning.
enum class BadLines { refused, taken };

class LineReader {
 public:
  static constexpr std::size_t kMostBytes = 16 * 1024 * 1024;  // of a line

  // "-" is standard input. DataError when it cannot be opened.
  explicit LineReader(const std::filesystem::path& path, BadLines bad = BadLines::refused);

  // The next line, without its end ("\n" or "\r\n") and without a byte order mark; false after the
  // last. DataError, with file and line, for bytes that are not UTF-8 (naming the encoding they
  // seem to be and how to convert it), for NUL, and for a line of more than kMostBytes, which is
  // no text.
  bool next(std::string& line);
  // Whether next() would give one.
  bool more() { return begin_ < end_ || fill(); }

  // Whether the line read last was too long, and its beginning alone was taken.
  bool was_cut() const { return cut_; }

  const std::string& name() const { return name_; }
  std::uint64_t line() const { return position_.lines; }  // number of the line read last, from 1
  const LinePosition& position() const { return position_; }
  // Plain files jump, gz files read up to there, standard input cannot (UsageError). DataError when
  // no line begins there.
  void seek(const LinePosition& position);

 private:
  bool fill();
  void refuse_wide() const;
  void check(std::string& line) const;

  std::string name_;
  BadLines bad_;
  bool ahead_;  // whether it may read on before it gives a line
  bool cut_ = false;
  std::unique_ptr<ByteStream> bytes_;
  std::unique_ptr<char[]> buffer_;
  std::size_t begin_ = 0;  // of what is left in the buffer
  std::size_t end_ = 0;
  LinePosition position_{};
};

// All lines of a file, plain or gz, or of standard input. DataError when there are none.
std::vector<std::string> read_lines(const std::filesystem::path& path);

}  // namespace heed::text

#pragma GCC visibility pop
