// SPDX-License-Identifier: Apache-2.0
// The first lines of a file, counted.
#include "heed/pipeline/head_look.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>
#include <string_view>

#include "heed/base/text.h"
#include "heed/text/bytes.h"
#include "heed/text/lines.h"

namespace heed::pipeline {
namespace {

// Bytes, and three axes: the images, their rows and their columns.
constexpr std::string_view kIdxImages("\0\0\x08\x03", 4);

bool holds_idx_images(const std::string& file) {
  std::array<char, kIdxImages.size()> head{};
  const auto bytes = text::open_bytes(file);
  std::size_t size = 0;
  for (std::size_t got = 1; got > 0 && size < head.size(); size += got) {
    got = bytes->read(std::span(head).subspan(size));
  }
  return std::string_view(head.data(), size) == kIdxImages;
}

}  // namespace

HeadLook look_at_head(const std::string& file) {
  constexpr std::uint64_t kLines = 200;
  HeadLook look;
  std::filesystem::path path = file;
  if (lower(path.extension().string()) == ".gz") path = path.stem();
  look.ending = lower(path.extension().string());
  for (const char* ending : {".csv", ".tsv", ".jsonl", ".ndjson", ".json"}) {
    look.table_ending = look.table_ending || look.ending == ending;
  }
  text::LineReader reader(file, text::BadLines::taken);
  std::set<std::string> firsts;
  double lines = 0;
  for (std::string line; reader.line() < kLines && reader.next(line);) {
    if (trim(line).empty()) continue;
    ++lines;
    const std::size_t tab = line.find('\t');
    look.tabs += tab != line.npos ? 1 : 0;
    firsts.insert(line.substr(0, tab));
  }
  if (lines == 0) return look;
  look.tabs /= lines;
  look.distinct = static_cast<double>(firsts.size()) / lines;
  return look;
}

double suits_plain_lines(std::span<const std::string> files) {
  if (files.empty() || files.size() > 2) return 0;
  std::string ending;
  for (const std::string& file : files) {
    if (holds_idx_images(file)) return 0;
    const HeadLook look = look_at_head(file);
    if (look.table_ending || look.tabs > .9) return 0;
    if (&file != &files.front() && look.ending != ending) return 0;
    ending = look.ending;
  }
  return 1;
}

double suits_images(std::span<const std::string> files) {
  return (files.size() == 2 || files.size() == 4) && holds_idx_images(files[0]) ? 1 : 0;
}

}  // namespace heed::pipeline
