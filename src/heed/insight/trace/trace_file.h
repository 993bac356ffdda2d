// SPDX-License-Identifier: Apache-2.0
// Trace files of any form: read by what is in them, written by the end of their name.
#pragma once  // public header

#include <filesystem>
#include <string>
#include <string_view>

#include "heed/insight/trace/trace_document.h"

#pragma GCC visibility push(default)  // exported

namespace heed::insight {

struct TraceFileOptions {
  std::filesystem::path source{};  // the source sentences of Marian's soft alignments
};
// Heed's JSON or the plain one, safetensors, Marian's soft alignments or Nematus's. DataError with
// the file and the place for anything else; UsageError for soft alignments without their source.
TraceDocument read_trace(const std::filesystem::path& path, const TraceFileOptions& options = {});
// The same of bytes in memory; messages call them `name`.
TraceDocument parse_trace(std::string_view bytes, const std::string& name,
                          const TraceFileOptions& options = {});

// By the name: .json or .safetensors; UsageError that says so for another, which
// check_trace_name() gives before there is anything to write. Atomically.
void write_trace(const std::filesystem::path& path, const TraceDocument& document);
void check_trace_name(const std::filesystem::path& path);

}  // namespace heed::insight

#pragma GCC visibility pop
