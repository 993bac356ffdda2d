// SPDX-License-Identifier: Apache-2.0
// One setting for the process, and the lines that it lets through.
#include "heed/base/verbosity.h"

#include <atomic>
#include <cstdio>
#include <string>

namespace heed {
namespace {

std::atomic<Verbosity> chosen_verbosity{Verbosity::normal};

}  // namespace

Verbosity verbosity() {
  return chosen_verbosity.load(std::memory_order_relaxed);
}

void set_verbosity(Verbosity verbosity) {
  chosen_verbosity.store(verbosity, std::memory_order_relaxed);
}

void note(std::string_view line) {
  if (verbosity() == Verbosity::quiet) return;
  const std::string whole = std::string(line) + '\n';  // in one piece, whatever else is written
  std::fwrite(whole.data(), 1, whole.size(), stderr);
}

}  // namespace heed
