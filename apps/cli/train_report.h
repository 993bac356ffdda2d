// SPDX-License-Identifier: Apache-2.0
// The last lines of every `heed train`: what was read, how good it got, how it is used.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

#include "heed/pipeline/run.h"

namespace heed::cli {

// `use` is the command that takes the model's folder next: "heed translate --model".
inline void print_report(const pipeline::TrainingReport& report, const std::string& out,
                         std::string_view use) {
  const training::Outcome& outcome = report.outcome;
  if (outcome.ending == training::Ending::interrupted) {
    fmt::print("Saved at update {}; the same command resumes from there.\n", outcome.updates);
    return;
  }
  fmt::print("Read {}.\n", report.data);
  fmt::print("{} update{}, {} epoch{}", outcome.updates, outcome.updates == 1 ? "" : "s",
             outcome.epochs, outcome.epochs == 1 ? "" : "s");
  // One model has all these figures; another may have had a better one of them.
  std::string_view before = "; the best model: ";
  for (const auto& [name, value] : outcome.best) {
    fmt::print("{}{} {:.4g}", std::exchange(before, ", "), name, value);
  }
  fmt::print(".\nThe model is in {}; use it: {} {}\n", out, use, out);
}

}  // namespace heed::cli
