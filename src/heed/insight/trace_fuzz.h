// SPDX-License-Identifier: Apache-2.0
// What the fuzz target of traces does with one input, shared with the test that replays its corpus.
#pragma once

#include <string_view>

#include "heed/base/error.h"
#include "heed/insight/trace_file.h"
#include "heed/insight/trace_json.h"
#include "heed/insight/trace_lines.h"

namespace heed::test {

// Reads bytes as a trace of any form. False when it is refused as bad data; any other exception,
// and a trace that cannot be read back from what is written of it, is a finding.
inline bool parse_as_trace(std::string_view bytes) {
  insight::TraceDocument document;
  try {
    const bool soft = bytes.find('{') == bytes.npos && insight::looks_like_marian(bytes);
    document = soft ? insight::parse_marian({bytes, "input"}, {"a b\na b\n", "source"})
                    : insight::parse_trace(bytes, "input");
  } catch (const DataError&) {
    return false;
  } catch (const UsageError&) {
    return false;  // soft alignments without their source
  }
  const std::string written = insight::to_trace_json(document);
  if (insight::to_trace_json(insight::parse_trace_json(written, "written")) != written) {
    throw InternalError("a trace comes back changed");
  }
  return true;
}

}  // namespace heed::test
