// SPDX-License-Identifier: Apache-2.0
// Traces as JSON: Heed's own form, and a plain one that other systems write with a line of code.
//
//   {"format": "heed-trace", "version": 1, "examples": [{"strips": [...], "attentions": [...]}]}
//   {"source": ["the", "cat"], "target": ["le", "chat"], "weights": [[0.9, 0.1], [0.2, 0.8]]}
#pragma once  // public header

#include <filesystem>
#include <string>
#include <string_view>

#include "heed/insight/trace/trace_document.h"

#pragma GCC visibility push(default)  // exported

namespace heed::insight {

// In the plain form weights are [Q,K] or [layers,heads,Q,K], queries being the target. In both null
// is a masked cell. DataError, with the place, for anything that is neither form, and for what
// check() refuses.
TraceDocument read_trace_json(const std::filesystem::path& path);
TraceDocument parse_trace_json(std::string_view text, const std::string& where = "trace");

// The head of a document whose weights are kept elsewhere: heads may have none, and nothing is
// checked but the JSON itself.
TraceDocument parse_trace_json_without_weights(std::string_view text, const std::string& where);

// The document in Heed's own form; weights read back to the same bits. Bytes of tokens that are not
// UTF-8 are replaced.
std::string to_trace_json(const TraceDocument& document);
std::string to_trace_json_without_weights(const TraceDocument& document);
// What such a document says of an image: {"strip": "image", "rows": 12, "columns": 12, "png":
// base64, "gold": [box], "looks": [[box]]}, a box being [left, top, right, bottom]; what there is
// none of is left out.
std::string to_image_json(const ImageGrid& image);

}  // namespace heed::insight

#pragma GCC visibility pop
