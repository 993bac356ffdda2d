// SPDX-License-Identifier: Apache-2.0
// GET /healthz: whether the server lives.
#include "server/api/api.h"
#include "server/api/schemas.h"

namespace heed::server {
namespace {

nlohmann::json health_schema() {
  return object_of({{"status", text_schema()}, {"version", text_schema()}});
}

HttpResponse health(RouteCall&) {
  return {.body = dumped({{"status", "ok"}, {"version", HEED_VERSION}})};
}

Route health_route(const Limits&) {
  return {.path = "/healthz",
          .name = "health",
          .summary = "Say that the server lives",
          .answer = health_schema(),
          .open = true,
          .monitors = true,
          .call = health};
}

const ListedRoute kListed(health_route);

}  // namespace
}  // namespace heed::server
