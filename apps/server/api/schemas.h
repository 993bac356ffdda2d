// SPDX-License-Identifier: Apache-2.0
// What the answers of the API look like, as JSON Schema. A test holds every answer against these.
#pragma once

#include <nlohmann/json.hpp>

namespace heed::server {

nlohmann::json error_schema();
nlohmann::json translate_schema();
nlohmann::json generate_schema();
nlohmann::json classify_schema();
nlohmann::json score_schema();
nlohmann::json fill_schema();
nlohmann::json attend_schema();
nlohmann::json mechanisms_schema();
nlohmann::json models_schema();
nlohmann::json health_schema();

}  // namespace heed::server
