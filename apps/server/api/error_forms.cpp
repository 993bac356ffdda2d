// SPDX-License-Identifier: Apache-2.0
// One function and one schema for each form.
#include "server/api/error_forms.h"

#include "server/api/schemas.h"

namespace heed::server {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

std::string type_of(int status) {
  if (status >= 500) return "server_error";
  if (status == 401) return "authentication_error";
  if (status == 403) return "permission_error";
  if (status == 429) return "rate_limit_error";
  return "invalid_request_error";
}

std::string openai_body(const HttpError& error, const std::string& request_id) {
  const std::string& where = error.where();
  const bool field = where.size() > 1 && where.starts_with('/') && where.find('/', 1) == where.npos;
  const ordered_json body = {{"error",
                              {{"message", error.what()},
                               {"type", type_of(error.status())},
                               {"param", field ? ordered_json(where.substr(1)) : ordered_json()},
                               {"code", kind_of(error.status())},
                               {"request_id", request_id}}}};
  return body.dump(-1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

json heed_schema() {
  return object_of({{"error", object_of({{"kind", text_schema()},
                                         {"message", text_schema()},
                                         {"where", text_schema()},
                                         {"request_id", text_schema()}})}});
}

json openai_schema() {
  return object_of({{"error", object_of({{"message", text_schema()},
                                         {"type", text_schema()},
                                         {"param", {{"type", {"string", "null"}}}},
                                         {"code", text_schema()},
                                         {"request_id", text_schema()}})}});
}

}  // namespace

const ErrorForm& heed_errors() {
  static const ErrorForm form{"Error", error_body, heed_schema()};
  return form;
}

const ErrorForm& openai_errors() {
  static const ErrorForm form{"OpenAIError", openai_body, openai_schema()};
  return form;
}

}  // namespace heed::server
