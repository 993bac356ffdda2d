// SPDX-License-Identifier: Apache-2.0
// Traces as safetensors: weights as numbers that any tensor library maps, a quarter of the JSON.
//
// The metadata key "trace" holds the document as JSON without weights. Those of one head are the
// tensor "examples.E.attentions.A.layer.L.head.H", F32 [Q,K]; where some of its cells are masked, a
// U8 tensor of the same name and ".masked" has 1 for them.
#pragma once  // public header

#include <filesystem>

#include "heed/base/safetensors.h"
#include "heed/insight/trace/trace_document.h"

#pragma GCC visibility push(default)  // exported

namespace heed::insight {

// DataError, with the file and the tensor, for a file that is no trace: a tensor too many or too
// few, another shape, NaN, and what check() refuses.
TraceDocument read_trace_safetensors(const SafetensorsFile& file);

// Atomically. UsageError for a document that check() refuses.
void write_trace_safetensors(const std::filesystem::path& path, const TraceDocument& document);

}  // namespace heed::insight

#pragma GCC visibility pop
