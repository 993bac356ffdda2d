// SPDX-License-Identifier: Apache-2.0
// Whose a folder is, asked before anything is read or written.
#include "heed/pipeline/run_start.h"

#include <algorithm>

#include "heed/base/error.h"
#include "heed/base/text.h"

namespace heed::pipeline {

std::vector<std::string> tasks_to_start_from(const std::string& task) {
  if (task == "classify") return {"classify", "masked"};
  return {task};
}

void check_start(const RunOptions& options, const std::string& task) {
  const std::string kept = options.folder().kept_task();
  if (!kept.empty() && kept != task && !options.trainer.reset) {
    throw UsageError(
        "--out {}: the folder holds a model for the task {}, and this is {}; give another --out, "
        "or "
        "--reset to start over",
        options.out, kept, task);
  }
  if (options.init_from.empty()) return;
  const std::vector<std::string> right = tasks_to_start_from(task);
  const std::string found = ModelFolder{options.init_from}.task();
  if (std::ranges::count(right, found) > 0) return;
  throw UsageError("--init-from {}: a model for the task {}; {} starts from one for {}",
                   options.init_from, found, task, join(right, " or "));
}

}  // namespace heed::pipeline
