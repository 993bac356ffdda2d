// SPDX-License-Identifier: Apache-2.0
// Rows of numbers, and pictures.
#include "heed/corpora/strips/strip_files.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/corpora/patterns/pattern_text.h"
#include "heed/images/idx.h"
#include "heed/images/image_file.h"

namespace heed::corpora {
namespace {

constexpr std::int64_t kMostFrames = 1
                                     << 16;  // of a strip: what no reader has time for is a mistake
constexpr float kLargest = 1e6f;
constexpr std::string_view kLabels = "labels:";
constexpr std::string_view kApart = " \t\r,;";

// Adds the numbers of a frame.
void add_frame(Strip& strip, std::string_view row, const std::string& where) {
  const std::size_t before = strip.values.size();
  for (std::size_t at = 0; (at = row.find_first_not_of(kApart, at)) != row.npos;) {
    const std::size_t end = std::min(row.find_first_of(kApart, at), row.size());
    float number = 0;
    const auto [stop, error] = std::from_chars(row.data() + at, row.data() + end, number);
    if (error != std::errc() || stop != row.data() + end) {
      throw DataError(
          "{}: \"{}\" is no number; a line is a frame of {} numbers, a picture PNG or "
          "PGM",
          where, shorten(row.substr(at, end - at), 20), strip.height);
    }
    if (!(std::abs(number) <= kLargest)) {
      throw DataError("{}: {} in a frame; numbers are finite and no larger than {}", where, number,
                      kLargest);
    }
    strip.values.push_back(number);
    at = end;
  }
  const auto found = static_cast<std::int64_t>(strip.values.size() - before);
  if (found != strip.height) {
    throw DataError("{}: a frame of {} number{}; the model reads {} of them", where, found,
                    found == 1 ? "" : "s", strip.height);
  }
  if (strip.frames() > kMostFrames) {
    throw DataError("{}: a strip of more than {} frames; leave an empty line between strips", where,
                    kMostFrames);
  }
}

std::vector<int> labels_of(std::string_view text, const StripForm& form, const std::string& where) {
  std::vector<int> labels;
  for (const char letter : text) {
    if (kApart.find(letter) != kApart.npos) continue;
    const std::size_t label = form.alphabet.find(letter);
    if (label == form.alphabet.npos) {
      throw DataError("{}: label \"{}\"; labels are {}", where, shorten(std::string(1, letter), 4),
                      form.alphabet);
    }
    labels.push_back(static_cast<int>(label));
  }
  return labels;
}

Strip picture_strip(std::string_view bytes, const StripForm& form, const std::string& name) {
  const PicturePattern picture = parse_patterns(bytes, name).front();
  if (picture.rows != form.height) {
    throw DataError("{}: a picture of {} rows; the model reads {}: scale it to that height", name,
                    picture.rows, form.height);
  }
  if (picture.columns > kMostFrames) {
    throw DataError("{}: a picture of {} columns; it takes {} at most", name, picture.columns,
                    kMostFrames);
  }
  Strip strip{.height = form.height};
  for (std::int64_t column = 0; column < picture.columns; ++column) {
    for (std::int64_t row = 0; row < picture.rows; ++row) {
      const double grey = picture.values[static_cast<std::size_t>(row * picture.columns + column)];
      strip.values.push_back(static_cast<float>((grey + 1) / 2));
    }
  }
  return strip;
}

std::string row_text(const Strip& strip, std::int64_t frame, char apart) {
  std::string text;
  for (std::int64_t i = 0; i < strip.height; ++i) {
    if (i > 0) text += apart;
    text += fmt::format("{}", strip.values[static_cast<std::size_t>(frame * strip.height + i)]);
  }
  return text;
}

}  // namespace

std::vector<Strip> parse_strips(std::string_view bytes, const StripForm& form,
                                const std::string& name, const StripProblem& problem) {
  const auto check = [&](const Strip& strip, const std::string& where) {
    const std::string found = problem ? problem(strip) : "";
    if (!found.empty()) throw DataError("{}: {}", where, found);
  };
  if (images::is_image(bytes)) {
    Strip strip = picture_strip(bytes, form, name);
    check(strip, name);
    return {std::move(strip)};
  }
  if (images::is_idx(bytes)) {
    throw DataError(
        "{}: an IDX file, whose pictures are single digits; give a strip: rows of {} "
        "numbers, or a picture of {} rows, PNG or PGM",
        name, form.height, form.height);
  }
  std::vector<Strip> strips;
  Strip strip{.height = form.height};
  std::string where = name, begin = name;  // the line, and that of the strip's first
  const auto finish = [&] {
    if (strip.labelled && strip.values.empty()) {
      throw DataError("{}: labels without frames; they stand before the strip's first frame",
                      where);
    }
    if (!strip.values.empty()) {
      check(strip, begin);
      strips.push_back(std::move(strip));
    }
    strip = {.height = form.height};
  };
  std::size_t number = 0;
  for (const std::string_view line : split(bytes, '\n')) {
    const std::string_view row = trim(line);
    if (row.empty()) {
      finish();
      ++number;
      continue;
    }
    where = fmt::format("{}:{}", name, ++number);
    if (!strip.labelled && strip.values.empty()) begin = where;
    if (!row.starts_with(kLabels)) {
      add_frame(strip, row, where);
      continue;
    }
    if (strip.labelled || !strip.values.empty()) {
      throw DataError("{}: labels inside a strip; leave an empty line before them", where);
    }
    strip.labels = labels_of(row.substr(kLabels.size()), form, where);
    strip.labelled = true;
  }
  finish();
  if (strips.empty()) {
    throw DataError("{}: holds no strip; a line is a frame of {} numbers, a picture PNG or PGM",
                    name, form.height);
  }
  return strips;
}

std::vector<Strip> read_strips(const std::filesystem::path& path, const StripForm& form,
                               const StripProblem& problem) {
  return parse_strips(images::read_image_bytes(path), form, path.string(), problem);
}

std::string written_strip(const Strip& strip, std::string_view alphabet) {
  std::string text;
  if (strip.labelled) text += fmt::format("{} {}\n", kLabels, label_text(strip.labels, alphabet));
  for (std::int64_t t = 0; t < strip.frames(); ++t) text += row_text(strip, t, ' ') + "\n";
  return text;
}

Strip parse_strip_line(std::string_view line, const StripForm& form, const std::string& where) {
  Strip strip{.height = form.height};
  constexpr std::string_view kBetween = " \t\r\n;";
  for (std::size_t at = 0; (at = line.find_first_not_of(kBetween, at)) != line.npos;) {
    const std::size_t end = std::min(line.find_first_of(kBetween, at), line.size());
    add_frame(strip, line.substr(at, end - at), where);
    at = end;
  }
  if (strip.values.empty()) {
    throw DataError("{}: no frames; give them apart by spaces, each {} numbers with commas between",
                    where, form.height);
  }
  return strip;
}

std::string written_strip_line(const Strip& strip) {
  std::string text;
  for (std::int64_t t = 0; t < strip.frames(); ++t) {
    text += (t > 0 ? " " : "") + row_text(strip, t, ',');
  }
  return text;
}

}  // namespace heed::corpora
