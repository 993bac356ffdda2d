// SPDX-License-Identifier: Apache-2.0
// Files of strips:
//
//   labels: cafe         what lies in it, where that is known
//   0.1 -0.3 0.2         a frame on each line, numbers apart by spaces or commas
//   0.4 0.0 0.1
//
// strips apart by an empty line; or a picture, PGM or PBM, whose columns are the frames. Any of
// them may be gz.
#pragma once  // public header

#include <filesystem>
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

// DataError with file and line for what is no strip, for frames of another height, for numbers that
// are not finite and for labels outside the alphabet.
std::vector<Strip> read_strips(const std::filesystem::path& path, const StripForm& form);
// The same of bytes in memory; `name` stands for the path.
std::vector<Strip> parse_strips(std::string_view bytes, const StripForm& form,
                                const std::string& name);
// A strip as text that reads back to the same bits.
std::string written_strip(const Strip& strip, std::string_view alphabet);

// A strip on one line, frames apart by spaces and their numbers by commas: "0.1,-0.3 0.4,0".
// DataError that opens with `where` likewise.
Strip parse_strip_line(std::string_view line, const StripForm& form, const std::string& where);
std::string written_strip_line(const Strip& strip);

}  // namespace heed::corpora

#pragma GCC visibility pop
