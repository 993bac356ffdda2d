// SPDX-License-Identifier: Apache-2.0
// Lines: cut at line feeds, checked, counted.
#include "heed/text/lines.h"

#include <cstring>

#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/text/encoding.h"

namespace heed::text {
namespace {

constexpr std::size_t kBufferBytes = 256 * 1024;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

}  // namespace

LineReader::LineReader(const std::filesystem::path& path, BadLines bad)
    : name_(path == "-" ? "standard input" : path.string()),
      bad_(bad),
      ahead_(path != "-"),
      bytes_(open_bytes(path)),
      // Not filled with zeros: a small file touches a page or two of it.
      buffer_(std::make_unique_for_overwrite<char[]>(kBufferBytes)) {}

bool LineReader::fill() {
  try {
    begin_ = 0;
    end_ = bytes_->read({buffer_.get(), kBufferBytes});
    // The first bytes of a file may come alone; those of a person at a keyboard are not waited for.
    if (position_.bytes == 0 && end_ > 0 && ahead_) {
      end_ += bytes_->read({buffer_.get() + end_, kBufferBytes - end_});
    }
  } catch (const DataError& error) {
    throw DataError("{} (after line {})", error.what(), position_.lines);
  }
  if (position_.bytes == 0 && bad_ == BadLines::refused) refuse_wide();
  return end_ > 0;
}

void LineReader::refuse_wide() const {
  const std::string encoding = wide_encoding({buffer_.get(), end_});
  if (encoding.empty()) return;
  throw DataError("{}:1: the file is {}, and Heed reads UTF-8; convert it with {}", name_, encoding,
                  conversion(encoding, name_));
}

bool LineReader::next(std::string& line) {
  line.clear();
  cut_ = false;
  bool found = false;
  while (begin_ < end_ || fill()) {
    found = true;
    const char* start = buffer_.get() + begin_;
    const auto* feed = static_cast<const char*>(std::memchr(start, '\n', end_ - begin_));
    const std::size_t size =
        feed == nullptr ? end_ - begin_ : static_cast<std::size_t>(feed - start);
    line.append(start, cut_ ? 0 : size);
    const std::size_t taken = size + (feed == nullptr ? 0 : 1);
    begin_ += taken;
    position_.bytes += taken;
    if (line.size() > kMostBytes && bad_ == BadLines::taken) {
      cut_ = true;
      line.resize(kMostBytes);
    } else if (line.size() > kMostBytes) {
      throw DataError("{}:{}: the line has more than {}; is this text, one sentence a line?", name_,
                      position_.lines + 1, human_bytes(kMostBytes));
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
  if (bad_ == BadLines::taken) return;
  const std::size_t bad = invalid_utf8(line);
  if (bad != std::string::npos) {
    throw DataError("{}", not_utf8(line, bad, name_, position_.lines));
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
