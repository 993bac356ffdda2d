// SPDX-License-Identifier: Apache-2.0
// As much of JSON Schema as the API's description uses: whether a value is what a schema says.
#pragma once

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>

namespace heed::test {

inline bool is_of_type(const nlohmann::json& value, const std::string& type) {
  if (type == "object") return value.is_object();
  if (type == "array") return value.is_array();
  if (type == "string") return value.is_string();
  if (type == "boolean") return value.is_boolean();
  if (type == "null") return value.is_null();
  if (type == "integer") return value.is_number_integer();
  return type == "number" && value.is_number();
}

// What does not fit, with its place; empty when all does. `page` is where $ref points into.
inline std::string misfit(const nlohmann::json& value, const nlohmann::json& schema,
                          const nlohmann::json& page, const std::string& place = "") {
  if (schema.contains("$ref")) {
    const auto target = schema["$ref"].get<std::string>().substr(1);
    return misfit(value, page.at(nlohmann::json::json_pointer(target)), page, place);
  }
  if (schema.contains("anyOf")) {
    std::string all;
    for (const auto& one : schema["anyOf"]) {
      const std::string reason = misfit(value, one, page, place);
      if (reason.empty()) return {};
      all += reason + "; ";
    }
    return all;
  }
  if (schema.contains("type")) {
    const auto& type = schema["type"];
    bool fits = false;
    for (const auto& one : type.is_array() ? type : nlohmann::json::array({type})) {
      fits |= is_of_type(value, one);
    }
    if (!fits) return fmt::format("{}: {} is no {}", place, value.dump(), type.dump());
  }
  if (schema.contains("enum") && std::ranges::count(schema["enum"], value) == 0) {
    return fmt::format("{}: {} is none of {}", place, value.dump(), schema["enum"].dump());
  }
  if (value.is_array() && schema.contains("items")) {
    for (std::size_t i = 0; i < value.size(); ++i) {
      const std::string reason =
          misfit(value[i], schema["items"], page, fmt::format("{}/{}", place, i));
      if (!reason.empty()) return reason;
    }
  }
  if (!value.is_object()) return {};
  for (const auto& name : schema.value("required", nlohmann::json::array())) {
    if (!value.contains(name)) return fmt::format("{}: no {}", place, name.dump());
  }
  const nlohmann::json properties = schema.value("properties", nlohmann::json::object());
  const nlohmann::json more = schema.value("additionalProperties", nlohmann::json(true));
  for (const auto& [name, inner] : value.items()) {
    const std::string where = place + "/" + name;
    std::string reason;
    if (properties.contains(name)) {
      reason = misfit(inner, properties[name], page, where);
    } else if (more.is_object()) {
      reason = misfit(inner, more, page, where);
    } else if (!more.get<bool>()) {
      reason = where + ": is not in the schema";
    }
    if (!reason.empty()) return reason;
  }
  return {};
}

}  // namespace heed::test
