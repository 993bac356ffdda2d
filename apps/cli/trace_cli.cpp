// SPDX-License-Identifier: Apache-2.0
// A document that grows by examples.
#include "cli/trace_cli.h"

#include <fmt/format.h>

#include <utility>

#include "heed/base/error.h"
#include "heed/base/verbosity.h"
#include "heed/insight/trace/trace_file.h"
#include "heed/pipeline/model_folder.h"
#include "heed/pipeline/tracing.h"

namespace heed::cli {

std::string model_name(const std::filesystem::path& folder) {
  const std::filesystem::path whole = std::filesystem::absolute(folder).lexically_normal();
  return (whole.has_filename() ? whole : whole.parent_path()).filename().string();
}

void TraceOutput::declare(Options& list) {
  list.add("trace", file_,
           "write every layer, head and step of attention to this file, .json or .safetensors; "
           "heed view shows it");
  files_.declare(list);
}

void TraceOutput::begin(const std::filesystem::path& model, const std::string& task,
                        const std::vector<std::string>& inputs) {
  files_.reads(inputs);
  files_.reads({pipeline::ModelFolder{model}.weights().string()});
  if (!wanted()) return;
  insight::check_trace_name(file_);
  files_.check(file_);
  document_.model = model_name(model);
  document_.task = task;
}

void TraceOutput::add(insight::TracedExample example) {
  pipeline::check_attends(example, document_.model);
  document_.examples.push_back(std::move(example));
}

void TraceOutput::finish() const {
  if (!wanted()) return;
  if (document_.examples.empty()) {
    throw UsageError("--trace {}: there was no text to trace", file_);
  }
  insight::write_trace(file_, document_);
  note(fmt::format("{}: the trace of {} example{} (heed view {} shows it)", file_,
                   document_.examples.size(), document_.examples.size() == 1 ? "" : "s", file_));
}

}  // namespace heed::cli
