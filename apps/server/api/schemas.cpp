// SPDX-License-Identifier: Apache-2.0
// Types, lists and objects, and the shapes that several answers have.
#include "server/api/schemas.h"

namespace heed::server {

using nlohmann::json;

json text_schema() {
  return {{"type", "string"}};
}

json number_schema() {
  return {{"type", "number"}};
}

json whole_schema() {
  return {{"type", "integer"}};
}

json flag_schema() {
  return {{"type", "boolean"}};
}

json list_of(const json& items) {
  return {{"type", "array"}, {"items", items}};
}

json object_of(const std::vector<std::pair<std::string, json>>& keys) {
  json properties = json::object();
  json required = json::array();
  for (const auto& [key, schema] : keys) {
    const bool optional = key.ends_with('?');
    const std::string name = optional ? key.substr(0, key.size() - 1) : key;
    properties[name] = schema;
    if (!optional) required.push_back(name);
  }
  return {{"type", "object"},
          {"properties", properties},
          {"required", required},
          {"additionalProperties", false}};
}

json trace_schema() {
  const json weights = list_of(list_of({{"type", {"number", "null"}}}));
  const json strip = object_of({{"name", text_schema()},
                                {"tokens", list_of(text_schema())},
                                {"words?", list_of(whole_schema())}});
  const json head =
      object_of({{"layer", whole_schema()}, {"head", whole_schema()}, {"weights", weights}});
  const json attention = object_of({{"kind", text_schema()},
                                    {"queries", text_schema()},
                                    {"keys", text_schema()},
                                    {"stepwise", flag_schema()},
                                    {"heads", list_of(head)}});
  const json boxes = list_of(list_of(number_schema()));
  const json image = object_of({{"strip", text_schema()},
                                {"rows", whole_schema()},
                                {"columns", whole_schema()},
                                {"png?", text_schema()},
                                {"gold?", boxes},
                                {"looks?", list_of(boxes)}});
  const json example = object_of({{"title?", text_schema()},
                                  {"strips", list_of(strip)},
                                  {"attentions", list_of(attention)},
                                  {"image?", image}});
  return object_of({{"format", text_schema()},
                    {"version", whole_schema()},
                    {"model", text_schema()},
                    {"task", text_schema()},
                    {"examples", list_of(example)}});
}

json results_of(const json& result) {
  return object_of({{"model", text_schema()}, {"results", list_of(result)}});
}

}  // namespace heed::server
