// SPDX-License-Identifier: Apache-2.0
// A long text as one run of tokens, its lines one after the other, for models that continue it.
#pragma once  // public header

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/text/tokeniser.h"

#pragma GCC visibility push(default)  // exported

namespace heed::text {

// What happens to the end of a line: a token of its own, kEnd; or a space; or it is a character of
// the text, which is encoded as a whole, as imported models read it.
enum class LineEnds { token, space, kept };
const std::vector<std::string>& line_ends_names();

struct LongText {
  Tokens tokens{};
  std::uint64_t characters = 0;  // code points, ends of lines included
  std::uint64_t lines = 0;
  std::uint64_t unknown = 0;  // tokens that are kUnknown

  // The last `fraction` of the tokens, taken away from the end of this; their characters in
  // proportion.
  LongText take_end(double fraction);
};

// Adds lines of the text as they come.
class LongTextBuilder {
 public:
  LongTextBuilder(const Tokeniser& tokeniser, LineEnds line_ends)
      : tokeniser_(tokeniser), line_ends_(line_ends) {}

  void add_line(std::string_view line);
  LongText take();

 private:
  const Tokeniser& tokeniser_;
  LineEnds line_ends_;
  LongText text_{};
  std::string kept_{};  // the lines, where their ends are kept
};

// All of a file, plain or gz, empty lines included. It stays in memory: four bytes a token.
// DataError as of LineReader, and when there is no text in it.
LongText read_long_text(const std::filesystem::path& path, const Tokeniser& tokeniser,
                        LineEnds line_ends);
// The same of a text in memory; an end of line after the last line counts only when it is there.
LongText long_text(std::string_view text, const Tokeniser& tokeniser, LineEnds line_ends);

}  // namespace heed::text

#pragma GCC visibility pop
