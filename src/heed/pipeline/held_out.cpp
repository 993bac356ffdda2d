// SPDX-License-Identifier: Apache-2.0
// A fixed choice of lines, the same whenever the file is read.
#include "heed/pipeline/held_out.h"

#include "heed/base/error.h"

namespace heed::pipeline {

text::PairReader training_lines(const std::string& train, const text::HoldOut& held) {
  const text::PairFiles files{.source = train, .columns = text::Columns::source};
  if (held.fraction == 0) return text::PairReader(files);
  return text::PairReader(files, [held](std::uint64_t line) { return !held.holds(line); });
}

HeldOutLines held_out_lines(const std::string& valid, const std::string& train,
                            const text::HoldOut& held) {
  if (valid.empty() && held.fraction == 0) return {};
  const auto keep = [held](std::uint64_t line) { return held.holds(line); };
  text::PairReader reader(
      {.source = valid.empty() ? train : valid, .columns = text::Columns::source},
      valid.empty() ? text::PairReader::Keep(keep) : nullptr);
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
