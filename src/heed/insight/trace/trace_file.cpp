// SPDX-License-Identifier: Apache-2.0
// Which form a trace has.
#include "heed/insight/trace/trace_file.h"

#include <algorithm>

#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/base/safetensors.h"
#include "heed/base/text.h"
#include "heed/insight/trace/trace_json.h"
#include "heed/insight/trace/trace_lines.h"
#include "heed/insight/trace/trace_safetensors.h"

namespace heed::insight {
namespace {

constexpr const char* kJson = ".json";
constexpr const char* kSafetensors = ".safetensors";

// Eight bytes of a size below 4 GB, then JSON; a text has no zero bytes.
bool is_safetensors(std::string_view bytes) {
  return bytes.size() > 8 && bytes.substr(4, 4) == std::string_view("\0\0\0\0", 4);
}

}  // namespace

TraceDocument parse_trace(std::string_view bytes, const std::string& name,
                          const TraceFileOptions& options) {
  if (is_safetensors(bytes)) {
    return read_trace_safetensors(
        SafetensorsFile::from_memory(std::as_bytes(std::span(bytes)), name));
  }
  if (trim(bytes.substr(0, 4096)).starts_with('{')) return parse_trace_json(bytes, name);
  if (looks_like_nematus(bytes)) return parse_nematus({bytes, name});
  if (looks_like_marian(bytes)) {
    if (options.source.empty()) {
      throw UsageError(
          "{}: soft alignments have no source tokens; name the file of the source sentences "
          "(--source FILE)",
          name);
    }
    const std::string source = read_file(options.source);
    return parse_marian({bytes, name}, {source, options.source.string()});
  }
  throw DataError(
      "{}: this is not a trace: it begins with \"{}\". A trace is JSON, safetensors, soft "
      "alignments "
      "of Marian or those of Nematus",
      name, shorten(bytes.substr(0, bytes.find('\n')), 40));
}

TraceDocument read_trace(const std::filesystem::path& path, const TraceFileOptions& options) {
  return parse_trace(read_file(path), path.string(), options);
}

void check_trace_name(const std::filesystem::path& path) {
  const std::string end = path.extension().string();
  if (end == kJson || end == kSafetensors) return;
  throw UsageError("{}: a trace is written as {} or {}; the name should end in one of them",
                   path.string(), kJson, kSafetensors);
}

void write_trace(const std::filesystem::path& path, const TraceDocument& document) {
  check_trace_name(path);
  if (path.extension() == kSafetensors) {
    write_trace_safetensors(path, document);
    return;
  }
  check(document, path.string());
  write_atomically(path, to_trace_json(document));
}

}  // namespace heed::insight
