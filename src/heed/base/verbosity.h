// SPDX-License-Identifier: Apache-2.0
// How much a program says besides its results: --quiet, --verbose, or neither.
#pragma once  // public header

#include <string_view>

#pragma GCC visibility push(default)  // exported

namespace heed {

enum class Verbosity {
  quiet,   // results, warnings and errors only
  normal,  // progress and notes as well
  verbose  // and what was chosen, how long it took, how much memory
};

// Of the whole process.
Verbosity verbosity();
void set_verbosity(Verbosity verbosity);

// A line on standard error for whoever watches; nothing when quiet.
void note(std::string_view line);

}  // namespace heed

#pragma GCC visibility pop
