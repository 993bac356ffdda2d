// SPDX-License-Identifier: Apache-2.0
// What an answer says of a traced example: the layers and heads that were asked for, as JSON.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "heed/insight/trace/trace_document.h"
#include "server/api/common_fields.h"

namespace heed::server {

// The example with the layers and heads that are asked for; attentions without any are left out.
// HttpError 422 for more weights than an answer should carry.
insight::TracedExample chosen_heads(insight::TracedExample example, const TraceRequest& request);

// The form of a trace file, weights to four digits.
nlohmann::ordered_json trace_json(const insight::TracedExample& example, const std::string& model,
                                  const std::string& task);

}  // namespace heed::server
