// SPDX-License-Identifier: Apache-2.0
// PositionLimit: whether a text fits the positions that a model has learned, and what to say of one
// that does not.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/text/labelled.h"
#include "heed/text/pair_encoder.h"
#include "heed/text/token.h"

#pragma GCC visibility push(default)  // exported

namespace heed::pipeline {

struct PositionLimit {
  std::int64_t places = 0;  // that were learned; 0: any number will do
  std::int64_t front = 0;   // tokens that the model puts before a text
  text::TextShape shape = text::TextShape::line;
  std::int64_t joints = 0;  // above 0: two texts are read as one, so many ends between them

  // Places that a text of these tokens takes, its end included; of a document, its longest
  // sentence.
  std::int64_t needed(std::span<const text::Token> tokens) const;
  bool holds(std::span<const text::Token> tokens) const;
  // The tokens that a pair is read as, one after the other: both sides, or joined as one.
  std::vector<text::Tokens> read_as(const text::Tokens& first, const text::Tokens& second) const;
  // "a text takes 81 positions, its end included, and this model has learned 32".
  std::string shortage(std::span<const text::Token> tokens) const;

  // UsageError where texts of `max_length` (0: any) would not fit.
  void check(std::int64_t max_length) const;
};

// `encode`, with a DataError that names file, line and `remedy` for a text that does not fit.
text::LineEncoder within(const PositionLimit& room, text::LineEncoder encode,
                         const std::string& name, std::string_view remedy);
inline constexpr std::string_view kTrainingRemedy =
    "raise --longest, or let --max-length and --too-long crop or skip it";
inline constexpr std::string_view kValidationRemedy = "raise --longest, or shorten it";
inline constexpr std::string_view kReadingRemedy =
    "shorten it, or train a model with more (--longest)";

}  // namespace heed::pipeline

#pragma GCC visibility pop
