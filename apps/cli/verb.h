// SPDX-License-Identifier: Apache-2.0
// A verb of the program: one file that lists itself; main finds it by name, nothing else names it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/command_line.h"

namespace heed::cli {

// To add `heed greet`, write greet.cpp:
//
//   Action set_up(CommandLine& line) {
//     auto name = std::make_shared<std::string>();
//     line.add("NAME", *name, "whom to greet").required();
//     return [name] { fmt::print("Hello, {}.\n", *name); };
//   }
//
//   const ListedVerb kListed({.name = "greet", .summary = "Say hello",
//                             .example = "heed greet world", .setup = set_up});
struct Verb {
  std::string name = {};
  std::string summary = {};      // one line, no full stop: it is in the list of verbs
  std::string description = {};  // sentences shown by `heed NAME --help`; may be left out
  std::string example = {};      // whole command lines, one per line
  std::function<Action(CommandLine&)> setup = {};  // declares arguments, returns the action
};

// Every listed verb, by name.
const std::vector<Verb>& verbs();

// Hands what was printed on to the reader. Throws std::system_error when it cannot be written,
// which a plain fflush would let pass.
void flush_output();

struct ListedVerb {
  explicit ListedVerb(Verb verb);
};

}  // namespace heed::cli
