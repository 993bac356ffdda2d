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

// What a process took, of the processor and of memory at most.
struct CommandCost {
  double seconds = 0;
  double bytes = 0;
};

// Runs it with this very program and gives back what it prints on standard output, which goes to
// its file where it has one; standard error passes through. DataError, naming the command, when it
// does not end well. `cost` is told what it took, where it is given.
std::string run_command(const Command& command, CommandCost* cost = nullptr);

}  // namespace heed::cli
