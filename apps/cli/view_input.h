// SPDX-License-Identifier: Apache-2.0
// What `heed view` looks at: a trace that was written, or a model that reads a text now.
#pragma once

#include <filesystem>
#include <string>

#include "heed/base/options.h"
#include "heed/insight/trace/trace_document.h"
#include "heed/pipeline/model.h"

namespace heed::cli {

struct ViewInput {
  std::string text;
  std::string second;
  std::string input;
  std::string source;
  std::int64_t length = 0;
  std::int64_t beam = 5;
  int threads = 0;

  void declare(Options& list);
  // The trace of this file; or, of a model folder, what it looks at in the texts. UsageError for
  // texts beside a trace, and for a folder without any.
  insight::TraceDocument read(const std::filesystem::path& trace_or_model) const;

 private:
  pipeline::Settings settings() const;
};

}  // namespace heed::cli
