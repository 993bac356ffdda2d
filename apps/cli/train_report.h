// SPDX-License-Identifier: Apache-2.0
// The last lines of every `heed train`: what was read, how good it got, how it is used.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "heed/pipeline/run.h"

namespace heed::cli {

// `use` is the command that takes the model's folder next: "heed translate --model".
inline void print_report(const pipeline::TrainingReport& report, const std::string& out,
                         std::string_view use) {
  const training::Outcome& outcome = report.outcome;
  if (outcome.ending == training::Ending::interrupted) {
    fmt::print("Saved at update {}; the same command goes on from there.\n", outcome.updates);
    return;
  }
  fmt::print("Read {}.\n", report.data);
  fmt::print("{} updates, {} epochs", outcome.updates, outcome.epochs);
  for (const auto& [name, value] : outcome.best) fmt::print(", best {} {:.4g}", name, value);
  fmt::print(".\nThe model is in {}; use it: {} {}\n", out, use, out);
}

}  // namespace heed::cli
