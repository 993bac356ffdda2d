// SPDX-License-Identifier: Apache-2.0
// The files a verb writes because its user named them: checked before the work, by the rule of
// base/output_file.h, with --force to go against it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "heed/base/options.h"

namespace heed::cli {

class OutputFiles {
 public:
  void declare(Options& list);  // --force

  // Files that the verb reads; empty names do not count.
  void reads(const std::vector<std::string>& inputs);
  // UsageError unless the file may be written; an empty name is none.
  void check(const std::string& path) const;
  // Checks it again, and writes it, marked as heed's own.
  void write(const std::string& path, const std::string& content) const;
  bool force() const { return force_; }

 private:
  bool force_ = false;
  std::vector<std::filesystem::path> inputs_;
};

}  // namespace heed::cli
