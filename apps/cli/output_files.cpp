// SPDX-License-Identifier: Apache-2.0
// One rule for all verbs.
#include "cli/output_files.h"

#include "heed/base/file.h"
#include "heed/base/output_file.h"

namespace heed::cli {

void OutputFiles::declare(Options& list) {
  list.add("force", force_, "replace files that are there already and that heed did not write");
}

void OutputFiles::reads(const std::vector<std::string>& inputs) {
  inputs_.insert(inputs_.end(), inputs.begin(), inputs.end());
}

void OutputFiles::check(const std::string& path) const {
  if (!path.empty()) check_output(path, {.force = force_, .inputs = inputs_});
}

void OutputFiles::write(const std::string& path, const std::string& content) const {
  check(path);
  write_atomically(path, marked(content));
}

}  // namespace heed::cli
