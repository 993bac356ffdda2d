// SPDX-License-Identifier: Apache-2.0
// Counted lines, and how people read them.
#include "heed/text/counted_lines.h"

#include <fmt/format.h>

namespace heed::text {

void CountedLines::add(std::uint64_t line) {
  ++count;
  if (first.size() < kKept) first.push_back(line);
}

std::string CountedLines::to_string() const {
  if (count == 0) return "0";
  return fmt::format("{} (line{} {}{})", count, count == 1 ? "" : "s", fmt::join(first, ", "),
                     count > first.size() ? ", ..." : "");
}

}  // namespace heed::text
