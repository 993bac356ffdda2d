// SPDX-License-Identifier: Apache-2.0
// GET /v1/mechanisms: the catalogue of parts.
#include "attend/catalogue.h"
#include "server/api/api.h"
#include "server/api/schemas.h"

namespace heed::server {
namespace {

using nlohmann::json;

json mechanisms_schema() {
  const json option = object_of({{"name", text_schema()},
                                 {"default", json::object()},
                                 {"wants", text_schema()},
                                 {"help", text_schema()}});
  return object_of({{"parts", list_of(object_of({{"kind", text_schema()},
                                                 {"name", text_schema()},
                                                 {"options", list_of(option)},
                                                 {"formula", text_schema()},
                                                 {"source", text_schema()},
                                                 {"promises", list_of(text_schema())}}))}});
}

HttpResponse mechanisms(RouteCall&) {
  static const std::string body = dumped({{"parts", attend::catalogue_json()}});
  return {.body = body};
}

Route mechanisms_route(const Limits&) {
  return {.path = "/v1/mechanisms",
          .name = "mechanisms",
          .summary = "List the parts that mechanisms are written with",
          .answer = mechanisms_schema(),
          .call = mechanisms};
}

const ListedRoute kListed(mechanisms_route);

}  // namespace
}  // namespace heed::server
