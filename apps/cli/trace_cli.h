// SPDX-License-Identifier: Apache-2.0
// What the verbs that leave a trace share: --trace FILE, gathered while they work, written at the
// end.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cli/output_files.h"
#include "heed/base/options.h"
#include "heed/insight/trace/trace_document.h"

namespace heed::cli {

class TraceOutput {
 public:
  void declare(Options& list);
  bool wanted() const { return !file_.empty(); }
  // Before the work: the name must be one of a trace, and of no file that is read or that is there
  // and not heed's. The model is the folder's name.
  void begin(const std::filesystem::path& model, const std::string& task,
             const std::vector<std::string>& inputs = {});
  // UsageError for a model without attention.
  void add(insight::TracedExample example);
  // Writes the file and says so on stderr.
  void finish() const;
  // For other files that the verb writes, once begin() has heard what it reads.
  const OutputFiles& files() const { return files_; }

 private:
  std::string file_;
  OutputFiles files_;
  insight::TraceDocument document_;
};

// The name of a model folder, whatever way leads to it.
std::string model_name(const std::filesystem::path& folder);

}  // namespace heed::cli
