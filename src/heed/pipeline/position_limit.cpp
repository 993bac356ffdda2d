// SPDX-License-Identifier: Apache-2.0
// Tokens counted as the model will see them.
#include "heed/pipeline/position_limit.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "heed/base/error.h"

namespace heed::pipeline {

std::int64_t PositionLimit::needed(std::span<const text::Token> tokens) const {
  if (shape != text::TextShape::document) return front + static_cast<std::int64_t>(tokens.size());
  std::int64_t most = 0;
  std::int64_t sentence = 0;
  for (const text::Token token : tokens) {
    most = std::max(most, ++sentence);
    if (token == text::kEnd) sentence = 0;
  }
  return front + most;
}

bool PositionLimit::holds(std::span<const text::Token> tokens) const {
  return places == 0 || needed(tokens) <= places;
}

std::vector<text::Tokens> PositionLimit::read_as(const text::Tokens& first,
                                                 const text::Tokens& second) const {
  if (joints == 0 || second.empty()) return {first, second};
  text::Tokens both = first;
  both.insert(both.end(), static_cast<std::size_t>(joints - 1), text::kEnd);
  both.insert(both.end(), second.begin(), second.end());
  return {both};
}

std::string PositionLimit::shortage(std::span<const text::Token> tokens) const {
  return fmt::format("a {} takes {} positions, its end included, and this model has learned {}",
                     shape == text::TextShape::document ? "sentence" : "text", needed(tokens),
                     places);
}

void PositionLimit::check(std::int64_t max_length) const {
  // A document's sentences are shorter than it is, by an unknown amount.
  if (places == 0 || max_length == 0 || shape == text::TextShape::document) return;
  const std::int64_t most = front + max_length + 1;
  if (most <= places) return;
  throw UsageError(
      "--longest {}: texts of --max-length {} take {} learned positions, their end included; give "
      "--longest {} or more, or a smaller --max-length",
      places, max_length, most, most);
}

text::LineEncoder within(const PositionLimit& room, text::LineEncoder encode,
                         const std::string& name, std::string_view remedy) {
  if (room.places == 0) return encode;
  return [room, encode = std::move(encode), name, remedy](const text::LinePair& line) {
    text::EncodedPair result = encode(line);
    for (const text::TokenPair& pair : result.pairs) {
      for (const text::Tokens& tokens : room.read_as(pair.source, pair.target)) {
        if (room.holds(tokens)) continue;
        throw DataError("{}:{}: {}; {}", name, line.line, room.shortage(tokens), remedy);
      }
    }
    return result;
  };
}

}  // namespace heed::pipeline
