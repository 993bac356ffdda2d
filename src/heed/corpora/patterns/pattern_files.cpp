// SPDX-License-Identifier: Apache-2.0
// Text, PBM and PGM, IDX.
#include "heed/corpora/patterns/pattern_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/corpora/patterns/pattern_text.h"
#include "heed/text/bytes.h"

namespace heed::corpora {
namespace {

constexpr const char* kForms =
    "a row is bits such as .##. or 0110 (# X 1 for ink, . 0 for ground, ? for unknown) or numbers "
    "apart by spaces";

double bit_of(char c) {
  if (c == '?') return 0;
  return c == '#' || c == 'X' || c == '1' ? 1 : -1;
}

// Signs or digits, not both: 0.1 is a number. So is what has a comma behind it.
bool is_bits(std::string_view row) {
  return row.find_first_not_of("#X.?") == row.npos || row.find_first_not_of("01?") == row.npos;
}

double number_of(std::string_view word, const std::string& where) {
  double number = 0;
  const char* const end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data(), end, number);
  if (error != std::errc() || stop != end || !std::isfinite(number)) {
    throw DataError("{}: \"{}\" is no bit and no number; {}", where, shorten(word, 20), kForms);
  }
  return number;
}

// A pattern as its rows are read.
class PatternText {
 public:
  explicit PatternText(const std::string& name) : name_(name) {}

  void add_line(std::string_view line, std::size_t number) {
    where_ = fmt::format("{}:{}", name_, number);
    const std::string_view row = trim(line);
    if (row.empty()) return finish();
    if (row.ends_with(':')) {
      if (current_.rows > 0) {
        throw DataError("{}: a name inside a pattern; leave an empty line before it", where_);
      }
      if (!current_.name.empty()) {
        throw DataError("{}: \"{}\" has no rows before the next name", where_, current_.name);
      }
      current_.name = row.substr(0, row.size() - 1);
      return;
    }
    const std::size_t before = current_.values.size();
    if (is_bits(row)) {
      for (const char c : row) current_.values.push_back(bit_of(c));
      bits_ = true;
    } else {
      add_numbers(row);
    }
    const auto columns = static_cast<std::int64_t>(current_.values.size() - before);
    if (columns == 0) throw DataError("{}: a row without a number; {}", where_, kForms);
    if (current_.rows > 0 && columns != current_.columns) {
      throw DataError("{}: a row of {} where those before it have {}; make them equally long",
                      where_, columns, current_.columns);
    }
    current_.columns = columns;
    ++current_.rows;
    if (std::ssize(current_.values) > kMostPatternUnits) {
      throw DataError("{}: a pattern of more than {} units; leave an empty line between patterns",
                      where_, kMostPatternUnits);
    }
  }
  void finish() {
    if (current_.rows == 0) return;
    patterns_.push_back(std::move(current_));
    current_ = {};
    const PicturePattern& first = patterns_.front();
    const PicturePattern& last = patterns_.back();
    if (first.rows != last.rows || first.columns != last.columns) {
      throw DataError(
          "{}: a pattern of {} by {} ends here, the first has {} by {}; all take one size", where_,
          last.rows, last.columns, first.rows, first.columns);
    }
  }
  std::vector<PicturePattern> all() {
    finish();
    if (!current_.name.empty()) {
      throw DataError("{}: \"{}\" has no rows; {}", where_, current_.name, kForms);
    }
    if (patterns_.empty()) throw DataError("{}: holds no pattern; {}", name_, kForms);
    // A table of numbers that are all 0 and 1 means bits.
    const auto is_zero_or_one = [](const PicturePattern& pattern) {
      return std::ranges::all_of(pattern.values,
                                 [](double value) { return value == 0 || value == 1; });
    };
    if (!bits_ && std::ranges::all_of(patterns_, is_zero_or_one)) {
      for (PicturePattern& pattern : patterns_) {
        for (double& value : pattern.values) value = 2 * value - 1;
      }
    }
    return std::move(patterns_);
  }

 private:
  void add_numbers(std::string_view row) {
    constexpr std::string_view kApart = " \t,;";
    for (std::size_t at = 0; (at = row.find_first_not_of(kApart, at)) != row.npos;) {
      const std::size_t end = std::min(row.find_first_of(kApart, at), row.size());
      current_.values.push_back(number_of(row.substr(at, end - at), where_));
      at = end;
    }
  }

  std::string name_;
  std::string where_;
  PicturePattern current_;
  std::vector<PicturePattern> patterns_;
  bool bits_ = false;  // whether any row was written as bits
};

// The head and the plain numbers of PBM and PGM: words, and comments from # to the end of a line.
class PortableWords {
 public:
  PortableWords(std::string_view bytes, const std::string& name) : bytes_(bytes), name_(name) {}

  std::int64_t number(const char* what, std::int64_t most) {
    skip();
    const std::size_t begin = at_;
    while (at_ < bytes_.size() && bytes_[at_] >= '0' && bytes_[at_] <= '9' && at_ - begin < 10) {
      ++at_;
    }
    std::int64_t found = 0;
    std::from_chars(bytes_.data() + begin, bytes_.data() + at_, found);
    if (at_ == begin || found > most) {
      throw DataError(
          "{}:{}: {} is missing, or not from 0 to {}; a picture says its kind, width, "
          "height and, of greys, the lightest",
          name_, line(), what, most);
    }
    return found;
  }
  // One of the bits of a plain PBM, which need nothing between them.
  bool bit() {
    skip();
    if (at_ == bytes_.size() || (bytes_[at_] != '0' && bytes_[at_] != '1')) {
      throw DataError("{}:{}: a bit is missing; a plain PBM has 0 and 1, width times height", name_,
                      line());
    }
    return bytes_[at_++] == '1';
  }
  // What follows the one space after the head.
  std::string_view raw(std::size_t count) {
    const std::size_t begin = std::min(at_ + 1, bytes_.size());
    if (bytes_.size() - begin < count) {
      throw DataError("{}: {} bytes of the picture where it takes {}; it is cut short", name_,
                      bytes_.size() - begin, count);
    }
    at_ = begin + count;
    return bytes_.substr(begin, count);
  }

 private:
  void skip() {
    while (at_ < bytes_.size()) {
      if (bytes_[at_] == '#') {
        at_ = std::min(bytes_.find('\n', at_), bytes_.size());
      } else if (std::string_view(" \t\r\n").find(bytes_[at_]) == std::string_view::npos) {
        return;
      } else {
        ++at_;
      }
    }
  }
  std::int64_t line() const { return 1 + std::ranges::count(bytes_.substr(0, at_), '\n'); }

  std::string_view bytes_;
  std::string name_;
  std::size_t at_ = 2;  // after the kind
};

// P1 and P4 are bits, whose 1 is ink; P2 and P5 greys, whose lightest is 1.
PicturePattern portable(std::string_view bytes, const std::string& name) {
  const char kind = bytes[1];
  PortableWords words(bytes, name);
  PicturePattern picture;
  picture.columns = words.number("the width", kMostPatternUnits);
  picture.rows = words.number("the height", kMostPatternUnits);
  if (picture.rows * picture.columns == 0 || picture.rows * picture.columns > kMostPatternUnits) {
    throw DataError("{}: a picture of {} by {}; it takes 1 to {} pixels", name, picture.columns,
                    picture.rows, kMostPatternUnits);
  }
  const std::int64_t lightest =
      kind == '2' || kind == '5' ? words.number("the lightest grey", 65535) : 1;
  if (lightest == 0) throw DataError("{}: its lightest grey is 0; it takes 1 to 65535", name);
  const auto count = static_cast<std::size_t>(picture.rows * picture.columns);
  const auto grey = [&](std::int64_t value) {
    if (value > lightest) {
      throw DataError("{}: a grey of {} above the lightest, {}", name, value, lightest);
    }
    return 2 * static_cast<double>(value) / static_cast<double>(lightest) - 1;
  };
  if (kind == '1') {
    for (std::size_t i = 0; i < count; ++i) picture.values.push_back(words.bit() ? 1 : -1);
  } else if (kind == '2') {
    for (std::size_t i = 0; i < count; ++i) {
      picture.values.push_back(grey(words.number("a grey", lightest)));
    }
  } else if (kind == '4') {
    const std::int64_t stride = (picture.columns + 7) / 8;  // rows begin with a byte
    const std::string_view raw = words.raw(static_cast<std::size_t>(stride * picture.rows));
    for (std::int64_t i = 0; i < std::ssize(raw) * 8; ++i) {
      if (i % (stride * 8) >= picture.columns) continue;
      const bool ink = (raw[static_cast<std::size_t>(i / 8)] >> (7 - i % 8) & 1) != 0;
      picture.values.push_back(ink ? 1 : -1);
    }
  } else {
    const std::size_t wide = lightest > 255 ? 2 : 1;
    const std::string_view raw = words.raw(count * wide);
    for (std::size_t i = 0; i < raw.size(); i += wide) {
      std::int64_t value = static_cast<unsigned char>(raw[i]);
      if (wide == 2) value = value * 256 + static_cast<unsigned char>(raw[i + 1]);
      picture.values.push_back(grey(value));
    }
  }
  return picture;
}

bool is_portable(std::string_view bytes) {
  return bytes.size() > 2 && bytes[0] == 'P' &&
         std::string_view("1245").find(bytes[1]) != bytes.npos &&
         std::string_view(" \t\r\n#").find(bytes[2]) != bytes.npos;
}

// IDX: 0, 0, 8 for bytes, the number of axes, the axes as big-endian words, then the bytes.
bool is_idx(std::string_view bytes) {
  return bytes.size() >= 4 && bytes[0] == 0 && bytes[1] == 0;
}
constexpr std::size_t kIdxHead = 16;
std::int64_t idx_axis(std::string_view bytes, std::size_t at) {
  std::int64_t size = 0;
  for (std::size_t i = 0; i < 4; ++i) size = size * 256 + static_cast<unsigned char>(bytes[at + i]);
  return size;
}

std::vector<PicturePattern> idx_pictures(std::string_view bytes, const std::string& name,
                                         std::int64_t most) {
  if (bytes[2] != 8 || bytes[3] != 3 || bytes.size() < kIdxHead) {
    throw DataError(
        "{}: an IDX file of {} axes and type {}; pictures have 3 axes of bytes (type 8), as "
        "train-images-idx3-ubyte has",
        name, static_cast<int>(bytes[3]), static_cast<int>(bytes[2]));
  }
  const std::int64_t rows = idx_axis(bytes, 8), columns = idx_axis(bytes, 12);
  std::int64_t count = idx_axis(bytes, 4);
  if (most > 0) count = std::min(count, most);
  // Each axis is below 2^32, and a product of two of them below 2^63 only where both are small.
  if (count == 0 || rows < 1 || columns < 1 || rows > kMostPatternUnits ||
      columns > kMostPatternUnits || rows * columns > kMostPatternUnits ||
      count > kMostPatternNumbers / (rows * columns)) {
    throw DataError("{}: {} pictures of {} by {}; it takes 1 or more, {} pixels in all at most",
                    name, count, rows, columns, kMostPatternNumbers);
  }
  const std::int64_t needed = count * rows * columns;
  if (std::ssize(bytes) - static_cast<std::int64_t>(kIdxHead) < needed) {
    throw DataError("{}: {} bytes of pictures where {} by {} by {} take {}; it is cut short", name,
                    bytes.size() - kIdxHead, count, rows, columns, needed);
  }
  std::vector<PicturePattern> pictures(static_cast<std::size_t>(count));
  std::size_t at = kIdxHead;
  for (PicturePattern& picture : pictures) {
    picture.rows = rows;
    picture.columns = columns;
    for (std::int64_t i = 0; i < rows * columns; ++i) {
      picture.values.push_back(static_cast<unsigned char>(bytes[at++]) / 127.5 - 1);
    }
  }
  return pictures;
}

std::vector<PicturePattern> parsed(std::string_view bytes, const std::string& name,
                                   std::int64_t most) {
  if (is_idx(bytes)) return idx_pictures(bytes, name, most);
  if (is_portable(bytes)) return {portable(bytes, name)};
  PatternText text(name);
  std::size_t number = 0;
  for (const std::string_view line : split(bytes, '\n')) text.add_line(line, ++number);
  return text.all();
}

}  // namespace

std::vector<PicturePattern> parse_patterns(std::string_view bytes, const std::string& name) {
  return parsed(bytes, name, 0);
}

std::vector<PicturePattern> read_patterns(const std::filesystem::path& path, std::int64_t most) {
  const auto stream = text::open_bytes(path);
  std::string bytes;
  constexpr std::size_t kAtOnce = 1 << 16;
  constexpr std::size_t kMostBytes = 8 * static_cast<std::size_t>(kMostPatternNumbers);
  std::size_t enough = kMostBytes;  // pictures that nobody asked for are not read
  while (bytes.size() < enough) {
    const std::size_t before = bytes.size();
    bytes.resize(before + kAtOnce);
    bytes.resize(before + stream->read(std::span(bytes.data() + before, kAtOnce)));
    if (bytes.size() == before) break;
    if (before == 0 && most > 0 && is_idx(bytes) && bytes.size() >= kIdxHead) {
      const auto side = [&](std::size_t at) {
        return static_cast<std::size_t>(std::min(idx_axis(bytes, at), kMostPatternUnits));
      };
      const std::size_t picture = side(8) * side(12);
      if (picture <= kMostBytes) enough = kIdxHead + static_cast<std::size_t>(most) * picture;
    }
  }
  if (bytes.size() >= kMostBytes) {
    throw DataError("{}: more than {} bytes; it is no file of patterns, or ask for fewer of them",
                    path.string(), kMostBytes);
  }
  std::vector<PicturePattern> patterns = parsed(bytes, path.string(), most);
  const std::string stem = path.stem().string();
  if (patterns.size() == 1 && patterns.front().name.empty()) patterns.front().name = stem;
  return patterns;
}

std::string written_patterns(const std::vector<PicturePattern>& patterns) {
  std::string text;
  for (const PicturePattern& pattern : patterns) {
    if (!text.empty()) text += "\n";
    if (!pattern.name.empty()) text += pattern.name + ":\n";
    const bool bits = std::ranges::all_of(
        pattern.values, [](double value) { return value == 1 || value == -1 || value == 0; });
    for (std::int64_t i = 0; i < std::ssize(pattern.values); ++i) {
      const double value = pattern.values[static_cast<std::size_t>(i)];
      text += !bits ? fmt::format("{},", value) : value == 0 ? "?" : value > 0 ? "#" : ".";
      if (i % pattern.columns == pattern.columns - 1) text += "\n";
    }
  }
  return text;
}

}  // namespace heed::corpora
