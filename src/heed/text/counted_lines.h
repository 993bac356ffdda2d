// SPDX-License-Identifier: Apache-2.0
// Counted lines: how many lines were treated in some way, and the numbers of the first few.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#pragma GCC visibility push(default)  // exported

namespace heed::text {

struct CountedLines {
  static constexpr std::size_t kKept = 5;

  std::uint64_t count = 0;
  std::vector<std::uint64_t> first{};  // at most kKept, in the order they came

  void add(std::uint64_t line);
  // "3 (lines 2, 7, 9)", "812 (lines 4, 5, 19, 33, 60, ...)", "0".
  std::string to_string() const;
  bool operator==(const CountedLines&) const = default;
};

}  // namespace heed::text

#pragma GCC visibility pop
