// SPDX-License-Identifier: Apache-2.0
// How much text a model in use reads as one: bounds that keep a single line from taking all memory,
// and the error that says which line it was.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "heed/base/error.h"
#include "heed/base/exported.h"

namespace heed::pipeline {

// More is no text, but a file that lost the ends of its lines.
inline constexpr std::size_t kMostTextBytes = std::size_t{1} << 20;
// Of all lines that a verb reads before it works on them.
inline constexpr std::size_t kMostWindowBytes = std::size_t{16} << 20;

// A text that cannot be read, and which one of those given it is.
class HEED_EXPORTED BadText final : public UsageError {
 public:
  // `unit` and `number` are how the caller counts: "line", 3.
  BadText(std::string_view unit, std::uint64_t number, std::size_t index, std::string problem)
      : UsageError("{} {}: {}", unit, number, problem),
        index_(index),
        problem_(std::move(problem)) {}

  std::size_t index() const { return index_; }
  const std::string& problem() const { return problem_; }
  // The same with the line of a file: a DataError, for it is the file that is bad.
  DataError in_file(std::string_view name, std::uint64_t first_line) const {
    return DataError("{}:{}: {}", name, first_line + index_, problem_);
  }

 private:
  std::size_t index_;
  std::string problem_;
};

// What keeps a text from being read by any model: more than kMostTextBytes, or NUL in it; empty:
// nothing.
HEED_EXPORTED std::string text_problem(std::string_view text);
// The second of these alone, for texts of any size.
std::string nul_problem(std::string_view text);

// Tokens of a text that a model in use reads at once: `asked`, or without that kLongestText, or the
// longest text of its training where that is longer.
std::int64_t longest_read(std::int64_t asked, std::int64_t trained);

// "the text has 2000 tokens, and at most 1024 are read at once; REMEDY"
std::string too_many_tokens(std::size_t tokens, std::int64_t most, std::string_view remedy);

}  // namespace heed::pipeline
