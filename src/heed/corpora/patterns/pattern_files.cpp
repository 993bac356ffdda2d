// SPDX-License-Identifier: Apache-2.0
// Text, images, IDX.
#include "heed/corpora/patterns/pattern_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/corpora/patterns/pattern_text.h"
#include "heed/images/idx.h"
#include "heed/images/image_file.h"

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

// Light is 1, and the ink of a PBM, which others show dark.
PicturePattern pattern_of(const images::NamedBytes& file) {
  const images::Image grey = images::with_channels(images::parse_image(file), 1);
  if (grey.height * grey.width > kMostPatternUnits) {
    throw DataError("{}: a picture of {}; it takes {} pixels at most", file.name, grey.size_text(),
                    kMostPatternUnits);
  }
  PicturePattern pattern{.rows = grey.height, .columns = grey.width};
  const double light = images::is_bitmap(file.bytes) ? -1 : 1;
  for (const float value : grey.pixels) {
    pattern.values.push_back(light * (2 * static_cast<double>(value) - 1));
  }
  return pattern;
}

std::vector<PicturePattern> idx_patterns(const images::NamedBytes& file, std::int64_t most) {
  const images::IdxImages found = images::parse_idx_images(file);
  const std::int64_t count = most > 0 ? std::min(found.count, most) : found.count;
  const std::int64_t units = found.rows * found.columns;
  if (count > kMostPatternNumbers / units) {
    throw DataError("{}: {} pictures of {} by {}; it takes {} pixels in all at most", file.name,
                    count, found.rows, found.columns, kMostPatternNumbers);
  }
  std::vector<PicturePattern> patterns(static_cast<std::size_t>(count));
  auto byte = found.pixels.begin();
  for (PicturePattern& pattern : patterns) {
    pattern.rows = found.rows;
    pattern.columns = found.columns;
    for (std::int64_t i = 0; i < units; ++i) pattern.values.push_back(*byte++ / 127.5 - 1);
  }
  return patterns;
}

std::vector<PicturePattern> parsed(const images::NamedBytes& file, std::int64_t most) {
  if (images::is_idx(file.bytes)) return idx_patterns(file, most);
  if (images::is_image(file.bytes)) return {pattern_of(file)};
  PatternText text(file.name);
  std::size_t number = 0;
  for (const std::string_view line : split(file.bytes, '\n')) text.add_line(line, ++number);
  return text.all();
}

}  // namespace

std::vector<PicturePattern> parse_patterns(std::string_view bytes, const std::string& name) {
  return parsed({bytes, name}, 0);
}

std::vector<PicturePattern> read_patterns(const std::filesystem::path& path, std::int64_t most) {
  const std::string bytes = images::read_image_bytes(path);
  std::vector<PicturePattern> patterns = parsed({bytes, path.string()}, most);
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
