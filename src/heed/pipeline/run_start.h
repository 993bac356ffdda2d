// SPDX-License-Identifier: Apache-2.0
// What a run of any kind of model looks at before it begins: that its folder and the model it
// starts from are not of another kind, that it writes over none of its data; and what becomes of
// the folder when it does not begin.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "heed/pipeline/model_kind.h"
#include "heed/pipeline/run_options.h"

namespace heed::pipeline {

// UsageError when --out holds a model of another kind and --reset does not give it up, when
// --init-from names a model of a kind that this one does not start from, or when a file of the data
// is one that training writes. DataError for an --out that cannot be a folder.
void check_start(const RunOptions& options, const ModelKind& kind,
                 std::span<const std::string> data = {});

// The folder of a run. One that was not there before is taken away again when the run fails before
// it has saved anything.
class OutFolder {
 public:
  // Makes it.
  OutFolder(const ModelFolder& folder, const ModelKind& kind);
  ~OutFolder();
  OutFolder(const OutFolder&) = delete;
  OutFolder& operator=(const OutFolder&) = delete;

  // The run has ended well.
  void keep() { made_.clear(); }

 private:
  ModelFolder folder_;
  std::vector<std::string> files_;             // of the kind
  std::vector<std::filesystem::path> made_{};  // folders, the innermost first
};

}  // namespace heed::pipeline
