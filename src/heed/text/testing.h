// SPDX-License-Identifier: Apache-2.0
// Helpers of the tests of text: packed files, generated corpora, and a check of messages.
#pragma once

#include <gtest/gtest.h>
#include <zlib.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "heed/base/random.h"
#include "heed/base/testing.h"
#include "heed/text/lines.h"

namespace heed::test {

// One gz member.
inline std::string packed(std::string_view text) {
  z_stream state{};
  EXPECT_EQ(deflateInit2(&state, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string result(deflateBound(&state, static_cast<uLong>(text.size())), '\0');
  std::string input(text);
  state.next_in = reinterpret_cast<Bytef*>(input.data());
  state.avail_in = static_cast<uInt>(input.size());
  state.next_out = reinterpret_cast<Bytef*>(result.data());
  state.avail_out = static_cast<uInt>(result.size());
  EXPECT_EQ(deflate(&state, Z_FINISH), Z_STREAM_END);
  result.resize(state.total_out);
  deflateEnd(&state);
  return result;
}

inline std::vector<std::string> all_lines(text::LineReader& reader) {
  std::vector<std::string> lines;
  for (std::string line; reader.next(line);) lines.push_back(line);
  return lines;
}

inline std::vector<std::string> lines_of(const std::filesystem::path& path) {
  text::LineReader reader(path);
  return all_lines(reader);
}

// Sentences of 1 to `longest` made-up words out of 200.
inline std::vector<std::string> made_up_lines(std::size_t count, std::uint64_t longest,
                                              std::uint64_t seed = 7) {
  constexpr std::string_view kSyllables[] = {"ba", "do", "ki", "lu", "me", "na", "po", "ri", "su"};
  Random random(seed);
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < count; ++i) {
    std::string line;
    const std::uint64_t words = 1 + random.integer(longest);
    for (std::uint64_t word = 0; word < words; ++word) {
      if (word > 0) line += ' ';
      const std::uint64_t syllables = 1 + random.integer(3);
      for (std::uint64_t s = 0; s < syllables; ++s) line += kSyllables[random.integer(9)];
    }
    lines.push_back(line + ".");
  }
  return lines;
}

inline std::string joined_lines(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

inline ::testing::AssertionResult holds(std::string_view message, std::string_view part) {
  if (message.find(part) != message.npos) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "\"" << message << "\" does not hold \"" << part << "\"";
}

}  // namespace heed::test
