// SPDX-License-Identifier: Apache-2.0
// Lines: cut at line feeds, checked, counted.
#include "heed/text/lines.h"

#include <cstring>

#include "heed/base/error.h"
#include "heed/base/text.h"

namespace heed::text {
namespace {

constexpr std::size_t kBufferBytes = 256 * 1024;
constexpr std::size_t kMostLineBytes = 16 * 1024 * 1024;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

}  // namespace

LineReader::LineReader(const std::filesystem::path& path)
    : name_(path == "-" ? "standard input" : path.string()),
      bytes_(open_bytes(path)),
      // Not filled with zeros: a small file touches a page or two of it.
      buffer_(std::make_unique_for_overwrite<char[]>(kBufferBytes)) {}

bool LineReader::fill() {
  try {
    begin_ = 0;
    end_ = bytes_->read({buffer_.get(), kBufferBytes});
    return end_ > 0;
  } catch (const DataError& error) {
    throw DataError("{} (after line {})", error.what(), position_.lines);
  }
}

bool LineReader::next(std::string& line) {
  line.clear();
  bool found = false;
  while (begin_ < end_ || fill()) {
    found = true;
    const char* start = buffer_.get() + begin_;
    const auto* feed = static_cast<const char*>(std::memchr(start, '\n', end_ - begin_));
    const std::size_t size =
        feed == nullptr ? end_ - begin_ : static_cast<std::size_t>(feed - start);
    line.append(start, size);
    const std::size_t taken = size + (feed == nullptr ? 0 : 1);
    begin_ += taken;
    position_.bytes += taken;
    if (line.size() > kMostLineBytes) {
      throw DataError("{}:{}: the line has more than {}; is this text, one sentence a line?", name_,
                      position_.lines + 1, human_bytes(kMostLineBytes));
    }
    if (feed != nullptr) break;
  }
  if (!found) return false;
  ++position_.lines;
  check(line);
  return true;
}

void LineReader::check(std::string& line) const {
  if (line.ends_with('\r')) line.pop_back();
  if (position_.lines == 1 && line.starts_with(kByteOrderMark))
    line.erase(0, kByteOrderMark.size());
  const std::size_t bad = invalid_utf8(line);
  if (bad != std::string::npos) {
    throw DataError(
        "{}:{}: byte {} of the line (0x{:02X}) is not UTF-8; convert the file, for example with "
        "`iconv -f latin1 -t utf-8`",
        name_, position_.lines, bad + 1, static_cast<unsigned char>(line[bad]));
  }
  const std::size_t zero = line.find('\0');
  if (zero != std::string::npos) {
    throw DataError("{}:{}: byte {} of the line is NUL, which no text holds; is the file UTF-16?",
                    name_, position_.lines, zero + 1);
  }
}

void LineReader::seek(const LinePosition& position) {
  if (position == position_) return;
  begin_ = end_ = 0;
  position_ = position;
  if (position.bytes == 0) {
    bytes_->seek(0);
    return;
  }
  // The byte before tells whether a line begins here; the last line may lack its end.
  bytes_->seek(position.bytes - 1);
  char before = 0;
  if (bytes_->read({&before, 1}) == 0) {
    throw DataError("{}: ends before byte {}, where reading should resume: has the file changed?",
                    name_, position.bytes);
  }
  if (before != '\n' && fill()) {
    throw DataError(
        "{}: no line begins at byte {}, where reading should resume: has the file changed?", name_,
        position.bytes);
  }
}

std::vector<std::string> read_lines(const std::filesystem::path& path) {
  LineReader reader(path);
  std::vector<std::string> lines;
  for (std::string line; reader.next(line);) lines.push_back(line);
  if (lines.empty()) throw DataError("{}: is empty; it takes one sentence per line", reader.name());
  return lines;
}

}  // namespace heed::text
