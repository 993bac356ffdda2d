// SPDX-License-Identifier: Apache-2.0
// A fixed choice of lines, the same whenever the file is read.
#include "heed/pipeline/held_out.h"

#include "heed/base/error.h"

namespace heed::pipeline {

text::PairFiles plain_lines(const std::string& file) {
  return {.source = file, .columns = text::Columns::source};
}

std::vector<text::DataPart> plain_parts(const std::string& train, const std::string& valid) {
  std::vector<text::DataPart> parts = {{.role = "training", .files = plain_lines(train)}};
  if (!valid.empty()) parts.push_back({.role = "validation", .files = plain_lines(valid)});
  return parts;
}

void take_plain_data(std::span<const std::string> files, std::string& train, std::string& valid) {
  if (files.empty() || files.size() > 2) {
    throw UsageError("{} files of data; it takes one, or two: training and validation",
                     files.size());
  }
  train = files[0];
  valid = files.size() > 1 ? files[1] : "";
}

text::PairReader training_lines(const text::PairFiles& train, const text::HoldOut& held) {
  if (held.fraction == 0) return text::PairReader(train);
  return text::PairReader(train, [held](std::uint64_t line) { return !held.holds(line); });
}

HeldOutLines held_out_lines(const text::PairFiles& valid, const text::PairFiles& train,
                            const text::HoldOut& held) {
  if (valid.source.empty() && held.fraction == 0) return {};
  const auto keep = [held](std::uint64_t line) { return held.holds(line); };
  text::PairReader reader(valid.source.empty() ? train : valid,
                          valid.source.empty() ? text::PairReader::Keep(keep) : nullptr);
  HeldOutLines result{.name = reader.name()};
  for (text::LinePair line; reader.next(line);) result.lines.push_back(std::move(line));
  if (result.lines.empty()) {
    throw DataError(
        "{}: no line of text is held out to validate with; give --valid, or a larger "
        "--valid-fraction",
        reader.name());
  }
  return result;
}

}  // namespace heed::pipeline
