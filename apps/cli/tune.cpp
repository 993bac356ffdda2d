// SPDX-License-Identifier: Apache-2.0
// `heed tune`: a random search over the options of a training, in which the best trials go on.
#include <fmt/format.h>

#include <memory>

#include "cli/interrupted.h"
#include "cli/verb.h"
#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/base/text.h"
#include "heed/pipeline/train.h"
#include "heed/pipeline/tuning.h"

namespace heed::cli {
namespace {

struct TuneVerb {
  std::string task;
  std::string space;
  pipeline::TuneOptions options;
  Options list;

  TuneVerb() {
    list.add("space", space, "TOML file of options, and a table [ranges] of those to search over")
        .kind("FILE")
        .required();
    list.add("out", options.out, "folder of the trials").letter('o').kind("FOLDER").required();
    list.add("trials", options.trials, "how many are drawn").range(1, 100000);
    list.add(
            "rungs", options.rungs,
            "after each rung but the last, the best third of the trials goes on for three times as "
            "long; 1: all train for max-updates")
        .range(1, 10);
    list.add("metric", options.metric, "which decides; empty: that of early-stopping").kind("NAME");
    list.add("seed", options.seed, "of the draws");
  }
};

void print_report(const pipeline::TuneReport& report) {
  if (report.interrupted) {
    throw Interrupted("the same command resumes the search", report.signal);
  }
  for (const pipeline::Trial& trial : report.trials) {
    fmt::print("{} {:.4g}  trial {}  {} updates ", report.metric, trial.value, trial.number,
               trial.updates);
    for (const auto& [name, value] : trial.values) fmt::print(" --{} {}", name, value);
    fmt::print("\n");
  }
  fmt::print("The best model is in {}; its config.toml trains it again.\n",
             report.trials.front().out);
}

void run(const TuneVerb& verb) {
  const pipeline::ModelKind& kind = pipeline::kind_called(verb.task);
  if (verb.space.empty()) throw UsageError("--space: say which options to search over, in a file");
  print_report(pipeline::tune(kind, pipeline::read_search_space(read_file(verb.space), verb.space),
                              verb.options));
}

Action set_up(CommandLine& line) {
  auto verb = std::make_shared<TuneVerb>();
  line.add("TASK", verb->task, "what is trained: " + join(pipeline::kind_names(), ", ")).required();
  return line.with_options(verb->list, [verb] { run(*verb); });
}

const ListedVerb kListed(
    {.name = "tune",
     .summary = "Search for the options that train best",
     .description =
         "Draws trials from the ranges of a file, trains all of them for a short time and the best "
         "of them for longer (successive halving), and keeps what it measured in trials.tsv. The "
         "same command resumes a search that was interrupted. docs/practice.md shows a file.",
     .example = "heed tune classify --space space.toml --trials 27 --out search",
     .setup = set_up});

}  // namespace
}  // namespace heed::cli
