// SPDX-License-Identifier: Apache-2.0
// `heed tasks`: a memory network for each task of a folder, and the table of their errors.
#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "cli/interrupted.h"
#include "cli/verb.h"
#include "heed/base/error.h"
#include "heed/pipeline/memory/task_suite.h"

namespace heed::cli {
namespace {

struct TasksVerb {
  std::string folder;
  pipeline::MemoryOptions options;
};

void print_task(const pipeline::SuiteTask& task) {
  fmt::print("{:>7.1f}  {:<4} ", 100 * task.best().test.error(),
             task.best().test.passes() ? "yes" : "no");
  for (const pipeline::SuiteRun& run : task.runs) {
    fmt::print(" {:>5.1f} {:>5.1f} ", 100 * run.train.error(), 100 * run.test.error());
  }
  const pipeline::SupportQuality& support = task.best().test.right;
  if (support.questions > 0) {
    fmt::print(" {:>5.3f}", support.found);
  } else {
    fmt::print("     -");
  }
  fmt::print("  {}\n", task.files.name);
  flush_output();
}

void run(const TasksVerb& verb) {
  if (!verb.options.train.empty()) {
    throw UsageError("--train: the files are those of the folder {}; leave it out", verb.folder);
  }
  if (verb.options.out.empty()) throw UsageError("--out: say which folder the models go to");
  if (verb.options.dry_run) {
    throw UsageError("--dry-run: it is for one training; give it to heed train memory");
  }
  const std::vector<pipeline::TaskFiles> tasks = pipeline::find_tasks(verb.folder);
  fmt::print("error %  pass   training and test error % of each seed; facts found; task\n");
  double sum = 0;
  std::size_t passed = 0;
  const training::Outcome outcome =
      pipeline::train_tasks(verb.options, tasks, [&](const pipeline::SuiteTask& task) {
        print_task(task);
        sum += task.best().test.error();
        passed += task.best().test.passes() ? 1 : 0;
      });
  if (outcome.ending == training::Ending::interrupted) throw Interrupted(outcome);
  fmt::print("mean error {:.2f} % of {} tasks, {} passed\n",
             100 * sum / static_cast<double>(tasks.size()), tasks.size(), passed);
}

Action set_up(CommandLine& line) {
  auto verb = std::make_shared<TasksVerb>();
  line.add("FOLDER", verb->folder,
           "of files NAME_train.txt and NAME_test.txt, or of folders with "
           "train.txt and test.txt")
      .required();
  return line.with_options(
      verb->options.list, [verb] { run(*verb); }, [verb] { verb->options.apply_preset(); });
}

const ListedVerb kListed(
    {.name = "tasks",
     .summary = "Train a memory network for each task of a folder, and print their errors",
     .description = "Trains from each of --seeds, takes the model with the lowest training error, "
                    "and tests it; options are those of heed train memory. Every seed's errors are "
                    "printed, and the share of right answers for which a hop looks most at a "
                    "supporting fact.",
     .example = "heed tasks data/babi --preset task --seeds 1 2 3 --out models/babi",
     .setup = set_up});

}  // namespace
}  // namespace heed::cli
