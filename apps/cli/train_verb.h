// SPDX-License-Identifier: Apache-2.0
// `heed train KIND`: options, training, and the last lines: what was read, how good it got, how it
// is used. A kind's own folder lists the verb.
#pragma once

#include <fmt/format.h>

#include <memory>
#include <string_view>
#include <utility>

#include "cli/interrupted.h"
#include "cli/verb.h"
#include "heed/pipeline/repeat.h"

namespace heed::cli {

inline void print_dry_run() {
  fmt::print("Nothing was written; leave --dry-run out to train.\n");
}

inline void print_report(const pipeline::TrainingReport& report,
                         const pipeline::KindOptions& options) {
  if (report.dry_run) return print_dry_run();
  const training::Outcome& outcome = report.outcome;
  require_finished(report);
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

// The figures of each of several trainings that is finished, then of all of them.
inline void print_repetitions(const std::vector<pipeline::Repetition>& runs) {
  if (runs.front().report.dry_run) return print_dry_run();
  for (const pipeline::Repetition& run : runs) {
    require_finished(run.report);
    fmt::print("{}:", run.name);
    for (const auto& [name, value] : run.report.outcome.best)
      fmt::print("  {} {:.4g}", name, value);
    fmt::print("  ({})\n", run.out);
  }
  for (const pipeline::Spread& spread : pipeline::spreads(runs)) {
    fmt::print("{}: mean {:.4g}, deviation {:.2g}, from {:.4g} to {:.4g}\n", spread.metric,
               spread.mean, spread.deviation, spread.lowest, spread.highest);
  }
}

inline void train_and_report(const pipeline::KindOptions& options) {
  if (pipeline::is_repeated(options)) {
    print_repetitions(pipeline::train_repeatedly(options));
  } else {
    print_report(pipeline::train(options), options);
  }
}

// The setup of a verb that trains with these options.
template <typename KindsOptions>
Action train_action(CommandLine& line) {
  auto options = std::make_shared<KindsOptions>();
  return line.with_options(
      options->list, [options] { train_and_report(*options); },
      [options] { options->apply_preset(); });
}

}  // namespace heed::cli
