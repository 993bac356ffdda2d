// SPDX-License-Identifier: Apache-2.0
// What answers say of a model that is served: what OpenAI's clients expect, and what the page
// needs.
#pragma once

#include <nlohmann/json.hpp>

#include "server/engine/served_model.h"

namespace heed::server {

// {"id": "tales", "object": "model", "created": 1700000000, "owned_by": "heed", "task": ...}
nlohmann::ordered_json model_json(const ServedModel& model);
nlohmann::json model_schema();

}  // namespace heed::server
