// SPDX-License-Identifier: Apache-2.0
// Whose a folder is, asked before anything is read or written.
#include "heed/pipeline/run_start.h"

#include <unistd.h>

#include <system_error>

#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/base/text.h"
#include "heed/pipeline/choices.h"
#include "heed/pipeline/examples.h"
#include "heed/training/checkpoint.h"

namespace heed::pipeline {
namespace {

namespace fs = std::filesystem;

// Makes the folder; gives those that were not there, the innermost first.
std::vector<fs::path> make_new_folders(const fs::path& folder) {
  std::vector<fs::path> made;
  std::error_code ignored;
  for (fs::path one = fs::absolute(folder).lexically_normal();
       !one.empty() && !fs::exists(one, ignored); one = one.parent_path()) {
    if (one.has_filename()) made.push_back(one);  // none: "model/" ends in a slash
  }
  make_folder(folder);
  return made;
}

void remove_empty_folders(const std::vector<fs::path>& folders) {
  for (const fs::path& folder : folders) {
    std::error_code ignored;
    if (!fs::is_empty(folder, ignored) || ignored) return;
    fs::remove(folder, ignored);
  }
}

// A run on a large corpus should not fail at its first checkpoint.
void check_folder(const RunOptions& options) {
  const std::vector<fs::path> made = make_new_folders(options.out);
  const bool writable = ::access(options.out.c_str(), W_OK | X_OK) == 0;
  remove_empty_folders(made);
  if (!writable) {
    throw DataError("{}: the folder cannot be written to; name another --out", options.out);
  }
}

void check_data(const RunOptions& options, const ModelKind& kind,
                std::span<const std::string> data) {
  const ModelFolder folder = options.folder();
  std::vector<fs::path> written = {
      folder.weights(),         folder.config(),          folder.card(),
      folder.curve(),           folder.file("curve.svg"), folder.file(kExamplesFile),
      folder.file(kChoicesFile)};
  for (const auto* list : {&kind.files, &kind.files_of_some}) {
    for (const std::string& file : *list) written.push_back(folder.file(file));
  }
  if (!options.trainer.log_json.empty()) written.emplace_back(options.trainer.log_json);
  for (const std::string& file : data) {
    for (const fs::path& one : written) {
      if (file.empty() || !is_same_file(file, one)) continue;
      throw UsageError("{}: training would write over it, and reads it; give another {}", file,
                       one == fs::path(options.trainer.log_json) ? "--log-json" : "--out");
    }
  }
}

}  // namespace

void check_start(const RunOptions& options, const ModelKind& kind,
                 std::span<const std::string> data) {
  const std::string kept = options.folder().kept_kind();
  if (!kept.empty() && kept != kind.name && !options.trainer.reset) {
    throw UsageError(
        "--out {}: the folder holds a model for the task {}, and this is {}; give another --out, "
        "or "
        "--reset to start over",
        options.out, kept, kind.name);
  }
  check_folder(options);
  check_data(options, kind, data);
  if (options.init_from.empty()) return;
  const ModelKind& found = ModelFolder{options.init_from}.kind();
  if (kind.starts_from(found)) return ModelFolder{options.init_from}.check(found.name);
  const auto right = [&kind](const ModelKind& one) { return kind.starts_from(one); };
  throw UsageError("--init-from {}: a model for the task {}; {} starts from one for {}",
                   options.init_from, found.name, kind.name, join(kind_names(right), " or "));
}

OutFolder::OutFolder(const ModelFolder& folder, const ModelKind& kind)
    : folder_(folder), files_(kind.files), made_(make_new_folders(folder.path)) {
  files_.insert(files_.end(), kind.files_of_some.begin(), kind.files_of_some.end());
}

OutFolder::~OutFolder() {
  std::error_code ignored;
  const fs::path checkpoints = folder_.path / "checkpoints";
  try {
    if (made_.empty() || fs::exists(folder_.weights(), ignored) ||
        !training::checkpoint_files(checkpoints).empty()) {
      return;
    }
    fs::remove_all(checkpoints, ignored);  // a lock
    for (const std::string& file : files_) fs::remove(folder_.file(file), ignored);
    remove_empty_folders(made_);
  } catch (const std::exception&) {
    // What cannot be taken away stays; the run's own error is the one to report.
  }
}

}  // namespace heed::pipeline
