// SPDX-License-Identifier: Apache-2.0
// Fuzz target of the readers of traces: JSON, safetensors, and the lines of Marian and Nematus.
#include "heed/base/fuzzing.h"
#include "heed/insight/trace/trace_file.h"
#include "heed/insight/trace/trace_json.h"
#include "heed/insight/trace/trace_lines.h"

namespace heed::test {
namespace {

bool read_trace(std::string_view bytes) {
  insight::TraceDocument document;
  const bool read = accepted([&] {
    const bool soft = bytes.find('{') == bytes.npos && insight::looks_like_marian(bytes);
    document = soft ? insight::parse_marian({bytes, "input"}, {"a b\na b\n", "source"})
                    : insight::parse_trace(bytes, "input");
  });
  if (!read) return false;
  const std::string written = insight::to_trace_json(document);
  require(insight::to_trace_json(insight::parse_trace_json(written, "written")) == written,
          "a trace comes back changed");
  return true;
}

const FuzzTarget kTrace("trace", read_trace);

}  // namespace
}  // namespace heed::test
