// SPDX-License-Identifier: Apache-2.0
// Command lines of this program, run as a shell would: words, quotes, and "> FILE" at the end.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heed::cli {

struct Command {
  std::vector<std::string> words = {};  // "heed" first
  std::string output = {};              // file; empty: none
};

// UsageError for a command that does not begin with heed, or a quote that does not end.
Command parse_command(std::string_view line);

// Runs it with this very program and gives back what it prints on standard output, which goes to
// its file where it has one; standard error passes through. DataError, naming the command, when it
// does not end well.
std::string run_command(const Command& command);

}  // namespace heed::cli
