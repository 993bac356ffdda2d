// SPDX-License-Identifier: Apache-2.0
// What answers are described with, as JSON Schema. A test holds every answer against its route's.
// Objects name all their keys and allow no others, so that an answer cannot grow in silence.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace heed::server {

nlohmann::json text_schema();
nlohmann::json number_schema();
nlohmann::json whole_schema();
nlohmann::json flag_schema();
nlohmann::json list_of(const nlohmann::json& items);
// Keys that end with '?' may be left out.
nlohmann::json object_of(const std::vector<std::pair<std::string, nlohmann::json>>& keys);

// The form of a trace file: null is a key that was hidden from the query.
nlohmann::json trace_schema();
// The model, and a result for each text.
nlohmann::json results_of(const nlohmann::json& result);

}  // namespace heed::server
