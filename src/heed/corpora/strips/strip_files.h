// SPDX-License-Identifier: Apache-2.0
// Files of strips, and strips on one line. A file has
//
//   labels: cafe         what lies in it, where that is known
//   0.1 -0.3 0.2         a frame on each line, numbers apart by spaces or commas
//   0.4 0.0 0.1
//
// strips apart by an empty line; or a picture, PNG or PGM, whose columns are the frames. Any of
// them may be gz.
#pragma once  // public header

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "heed/corpora/strips/strips.h"

#pragma GCC visibility push(default)  // exported

namespace heed::corpora {

// What a reader of strips takes.
struct StripForm {
  std::int64_t height = 0;    // numbers of a frame
  std::string alphabet = {};  // a letter for each label
};

// What is wrong with a strip, for a reader that asks for more than its form; "": nothing.
using StripProblem = std::function<std::string(const Strip&)>;

// DataError with file and line for what is no strip, for frames of another height, for numbers that
// are not finite, for labels outside the alphabet and for strips with a problem.
std::vector<Strip> read_strips(const std::filesystem::path& path, const StripForm& form,
                               const StripProblem& problem = {});
// The same of bytes in memory; `name` stands for the path.
std::vector<Strip> parse_strips(std::string_view bytes, const StripForm& form,
                                const std::string& name, const StripProblem& problem = {});
// A strip as text that reads back to the same bits.
std::string written_strip(const Strip& strip, std::string_view alphabet);

// A strip on one line, frames apart by spaces and their numbers by commas: "0.1,-0.3 0.4,0".
// DataError that opens with `where` likewise.
Strip parse_strip_line(std::string_view line, const StripForm& form, const std::string& where);
std::string written_strip_line(const Strip& strip);

}  // namespace heed::corpora

#pragma GCC visibility pop
