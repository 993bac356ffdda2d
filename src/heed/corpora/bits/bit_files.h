// SPDX-License-Identifier: Apache-2.0
// Files of vectors of bits. A word is a vector, with a number or with what is asked for in its
// step:
//
//   1011        four bits
//   1011:0.5    with a number: a priority, how often
//   1011/01     and the step asks for 01
//
// Lines of several words are sequences; lines of one word are steps of one, and an empty line ends
// it.
#pragma once  // public header

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "heed/corpora/bits/bit_tasks.h"

#pragma GCC visibility push(default)  // exported

namespace heed::corpora {

// The vectors of one sequence, and where it began.
struct BitLines {
  std::vector<BitVector> vectors{};
  std::string where{};  // "FILE:LINE"
};

// Vectors between white space. DataError that opens with `where` for what are no bits.
std::vector<BitVector> parse_bit_line(std::string_view line, const std::string& where);
// The same in reverse: "1011 0110:0.5".
std::string written_bits(std::span<const BitVector> vectors);

// Every sequence of a file, plain or gz, or of standard input ("-"). DataError with file and line.
std::vector<BitLines> read_bit_lines(const std::filesystem::path& path);
// The same of text in memory.
std::vector<BitLines> parse_bit_lines(std::string_view text, const std::string& name);

// The form of sequences to learn from: all steps have vectors of one width, and those that ask ask
// for one width. DataError with file and line for others, and where nothing is asked.
BitForm form_of(std::span<const BitLines> sequences, const std::string& name);

}  // namespace heed::corpora

#pragma GCC visibility pop
