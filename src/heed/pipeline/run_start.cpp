// SPDX-License-Identifier: Apache-2.0
// Whose a folder is, asked before anything is read or written.
#include "heed/pipeline/run_start.h"

#include "heed/base/error.h"
#include "heed/base/text.h"

namespace heed::pipeline {

void check_start(const RunOptions& options, const ModelKind& kind) {
  const std::string kept = options.folder().kept_kind();
  if (!kept.empty() && kept != kind.name && !options.trainer.reset) {
    throw UsageError(
        "--out {}: the folder holds a model for the task {}, and this is {}; give another --out, "
        "or "
        "--reset to start over",
        options.out, kept, kind.name);
  }
  if (options.init_from.empty()) return;
  const ModelKind& found = ModelFolder{options.init_from}.kind();
  if (kind.starts_from(found)) return;
  const auto right = [&kind](const ModelKind& one) { return kind.starts_from(one); };
  throw UsageError("--init-from {}: a model for the task {}; {} starts from one for {}",
                   options.init_from, found.name, kind.name, join(kind_names(right), " or "));
}

}  // namespace heed::pipeline
