// SPDX-License-Identifier: Apache-2.0
// Objects name all their keys and allow no others, so that an answer cannot grow in silence.
#include "server/api/schemas.h"

#include <string>
#include <vector>

namespace heed::server {
namespace {

using nlohmann::json;

const json kText = {{"type", "string"}};
const json kNumber = {{"type", "number"}};
const json kWhole = {{"type", "integer"}};
const json kFlag = {{"type", "boolean"}};

json list_of(const json& items) {
  return {{"type", "array"}, {"items", items}};
}

// Keys that end with '?' may be left out.
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

// The form of a trace file: null is a key that was hidden from the query.
json trace_schema() {
  const json weights = list_of(list_of({{"type", {"number", "null"}}}));
  const json strip =
      object_of({{"name", kText}, {"tokens", list_of(kText)}, {"words?", list_of(kWhole)}});
  const json head = object_of({{"layer", kWhole}, {"head", kWhole}, {"weights", weights}});
  const json attention = object_of({{"kind", kText},
                                    {"queries", kText},
                                    {"keys", kText},
                                    {"stepwise", kFlag},
                                    {"heads", list_of(head)}});
  const json example = object_of(
      {{"title?", kText}, {"strips", list_of(strip)}, {"attentions", list_of(attention)}});
  return object_of({{"format", kText},
                    {"version", kWhole},
                    {"model", kText},
                    {"task", kText},
                    {"examples", list_of(example)}});
}

json results_of(const json& result) {
  return object_of({{"model", kText}, {"results", list_of(result)}});
}

// Numbers in lists, two to four deep.
json tensor_schema() {
  json schema = kNumber;
  json either = json::array();
  for (int depth = 1; depth <= 4; ++depth) {
    schema = list_of(schema);
    if (depth >= 2) either.push_back(schema);
  }
  return {{"anyOf", either}};
}

}  // namespace

json error_schema() {
  return object_of({{"error", object_of({{"kind", kText}, {"message", kText}, {"where", kText}})}});
}

json translate_schema() {
  const json translation = object_of({{"text", kText},
                                      {"score", kNumber},
                                      {"log_probability", kNumber},
                                      {"finished", kFlag},
                                      {"pieces", list_of(kText)},
                                      {"token_log_probabilities", list_of(kNumber)},
                                      {"alignment?", kText},
                                      {"trace?", trace_schema()}});
  return results_of(object_of({{"translations", list_of(translation)}}));
}

json generate_schema() {
  return object_of({{"model", kText},
                    {"text", kText},
                    {"tokens", kWhole},
                    {"reason", {{"type", "string"}, {"enum", {"length", "deadline"}}}},
                    {"trace?", trace_schema()}});
}

json classify_schema() {
  const json aspect =
      object_of({{"aspect", kText},
                 {"label", kText},
                 {"probability", kNumber},
                 {"probabilities", {{"type", "object"}, {"additionalProperties", kNumber}}},
                 {"attention?", list_of(kNumber)}});
  return results_of(object_of(
      {{"words", list_of(kText)}, {"aspects", list_of(aspect)}, {"trace?", trace_schema()}}));
}

json score_schema() {
  return results_of(object_of({{"log_probability", kNumber},
                               {"perplexity", kNumber},
                               {"pieces", list_of(kText)},
                               {"token_log_probabilities", list_of(kNumber)},
                               {"trace?", trace_schema()}}));
}

json fill_schema() {
  const json guess = object_of({{"word", kText}, {"probability", kNumber}});
  return object_of(
      {{"model", kText}, {"gaps", list_of(list_of(guess))}, {"trace?", trace_schema()}});
}

json attend_schema() {
  const json tensor = tensor_schema();
  return object_of({{"mechanism", kText},
                    {"context", tensor},
                    {"weights?", tensor},
                    {"scores?", tensor},
                    {"lse?", {{"type", "array"}}},
                    {"log_probability?", {{"type", "array"}}},
                    {"entropy?", {{"type", "array"}}}});
}

json mechanisms_schema() {
  const json option =
      object_of({{"name", kText}, {"default", json::object()}, {"wants", kText}, {"help", kText}});
  return object_of({{"parts", list_of(object_of({{"kind", kText},
                                                 {"name", kText},
                                                 {"options", list_of(option)},
                                                 {"formula", kText},
                                                 {"source", kText},
                                                 {"promises", list_of(kText)}}))}});
}

json models_schema() {
  return object_of(
      {{"models",
        list_of(object_of(
            {{"name", kText}, {"task", kText}, {"parameters", kWhole}, {"second?", kFlag}}))}});
}

json health_schema() {
  return object_of({{"status", kText}, {"version", kText}});
}

}  // namespace heed::server
