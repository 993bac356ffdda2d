// SPDX-License-Identifier: Apache-2.0
// The image of an example as every trace in JSON has it.
#pragma once

#include <nlohmann/json.hpp>

#include "heed/base/exported.h"
#include "heed/insight/trace/trace_document.h"

namespace heed::insight {

// {"strip": "image", "rows": 12, "columns": 12, "png": base64, "gold": [box], "looks": [[box]]}, a
// box being [left, top, right, bottom]; what there is none of is left out.
HEED_EXPORTED nlohmann::ordered_json image_json(const ImageGrid& image);

}  // namespace heed::insight
