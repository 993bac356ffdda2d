// SPDX-License-Identifier: Apache-2.0
// `heed train KIND`: options, training, and the last lines: what was read, how good it got, how it
// is used. A kind's own folder lists the verb.
#pragma once

#include <fmt/format.h>

#include <memory>
#include <string_view>
#include <utility>

#include "cli/verb.h"
#include "heed/pipeline/train.h"

namespace heed::cli {

inline void print_report(const pipeline::TrainingReport& report,
                         const pipeline::KindOptions& options) {
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
  fmt::print(".\nThe model is in {}; use it: {}\n", options.out,
             options.kind().use_of(options.out));
}

// The setup of a verb that trains with these options.
template <typename KindsOptions>
Action train_action(CommandLine& line) {
  auto options = std::make_shared<KindsOptions>();
  return line.with_options(
      options->list, [options] { print_report(pipeline::train(*options), *options); },
      [options] { options->apply_preset(); });
}

}  // namespace heed::cli
