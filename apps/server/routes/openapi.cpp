// SPDX-License-Identifier: Apache-2.0
// GET /openapi.json: this API, described by its routes.
#include "server/api/api.h"

namespace heed::server {
namespace {

Route openapi_route(const Limits&) {
  return {.path = "/openapi.json",
          .name = "openapi",
          .summary = "Describe this API",
          .answer = {{"type", "object"}},
          .open = true,
          .call = [](RouteCall& call) -> HttpResponse { return {.body = call.api.description()}; }};
}

const ListedRoute kListed(openapi_route);

}  // namespace
}  // namespace heed::server
