// SPDX-License-Identifier: Apache-2.0
// One operation for each route: its body, its answer and the errors it may give.
#include "server/api/openapi.h"

#include <fmt/format.h>

#include <map>
#include <string>

#include "heed/base/text.h"
#include "server/api/schemas.h"

namespace heed::server {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

ordered_json body_schema(const Route& route) {
  ordered_json properties = ordered_json::object();
  ordered_json required = ordered_json::array();
  ordered_json example = ordered_json::object();
  for (const Field& field : route.fields) {
    properties[field.name] = schema_of(field);
    if (field.required) required.push_back(field.name);
    if (field.required && !field.example.is_null()) example[field.name] = field.example;
  }
  ordered_json schema = {{"type", "object"},
                         {"properties", properties},
                         {"additionalProperties", false},
                         {"examples", {example}}};
  if (!required.empty()) schema["required"] = required;
  return schema;
}

// Errors of every route, and of those with a body.
const std::map<int, std::string>& errors(bool body) {
  static const std::map<int, std::string> always = {
      {401, "no token, or a wrong one"},
      {403, "the server was called by a name that is not its own"},
      {503, "too many connections; Retry-After says when to try again"}};
  static const std::map<int, std::string> with_body = [] {
    std::map<int, std::string> all = always;
    all.insert({{400, "no JSON, an unknown field, a wrong type or value"},
                {404, "no such model"},
                {408, "the request did not arrive in time"},
                {411, "no Content-Length"},
                {413, "the body is too large"},
                {415, "the body is not application/json"},
                {422, "texts too long, too many, or not to be read"},
                {429, "too many requests of this client at once"},
                {504, "the answer was not ready in time"}});
    all[503] = "the queue is full; Retry-After says when to try again";
    return all;
  }();
  return body ? with_body : always;
}

ordered_json operation(const Route& route, bool secured) {
  ordered_json content = ordered_json::object();
  for (const std::string& type : route.types) {
    content[type] = {{"schema", type == "application/json" ? ordered_json(route.answer)
                                                           : ordered_json{{"type", "string"}}}};
  }
  ordered_json responses = {{"200", {{"description", "the answer"}, {"content", content}}}};
  for (const auto& [status, description] : errors(!route.fields.empty())) {
    if (route.open && status == 401) continue;
    responses[fmt::format("{}", status)] = {
        {"description", description},
        {"content",
         {{"application/json",
           {{"schema", {{"$ref", "#/components/schemas/" + route.errors->name}}}}}}}};
  }
  ordered_json made = {{"operationId", route.name}, {"summary", route.summary}};
  if (route.path.ends_with('}')) {
    made["parameters"] = json::array(
        {{{"name", "name"}, {"in", "path"}, {"required", true}, {"schema", {{"type", "string"}}}}});
    responses["404"] = {
        {"description", "no such model"},
        {"content",
         {{"application/json",
           {{"schema", {{"$ref", "#/components/schemas/" + route.errors->name}}}}}}}};
  }
  if (!route.fields.empty()) {
    made["requestBody"] = {{"required", true},
                           {"content", {{"application/json", {{"schema", body_schema(route)}}}}}};
  }
  made["responses"] = responses;
  if (secured && !route.open) made["security"] = json::array({{{"token", json::array()}}});
  return made;
}

}  // namespace

ordered_json openapi(std::span<const Route> routes, const OpenApiOptions& options) {
  ordered_json paths = ordered_json::object();
  ordered_json errors = ordered_json::object();
  for (const Route& route : routes) {
    paths[route.path][lower(route.method)] = operation(route, options.secured);
    errors[route.errors->name] = route.errors->schema;
  }
  ordered_json page = {
      {"openapi", "3.1.0"},
      {"info",
       {{"title", "Heed"},
        {"version", HEED_VERSION},
        {"summary",
         "Models with attention: translate, continue, judge, score, and see where they "
         "look"},
        {"license", {{"name", "Apache-2.0"}, {"identifier", "Apache-2.0"}}}}},
      {"paths", paths},
      {"components", {{"schemas", errors}}}};
  if (options.secured) {
    page["components"]["securitySchemes"] = {{"token", {{"type", "http"}, {"scheme", "bearer"}}}};
  }
  return page;
}

}  // namespace heed::server
