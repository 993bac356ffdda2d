// SPDX-License-Identifier: Apache-2.0
// GET /readyz: whether the server should be sent requests.
#include "server/api/api.h"
#include "server/api/schemas.h"

namespace heed::server {
namespace {

HttpResponse ready(RouteCall& call) {
  const Engine& engine = call.api.engine();
  if (!engine.ready()) {
    throw HttpError({.status = 503, .where = "server", .retry_seconds = 1},
                    engine.draining() ? "the server is stopping" : "no model is loaded");
  }
  return {.body = dumped({{"status", "ready"}, {"models", engine.models()->size()}})};
}

Route ready_route(const Limits&) {
  return {.path = "/readyz",
          .name = "ready",
          .summary = "Say whether the server has models and takes requests",
          .answer = object_of({{"status", text_schema()}, {"models", whole_schema()}}),
          .open = true,
          .monitors = true,
          .call = ready};
}

const ListedRoute kListed(ready_route);

}  // namespace
}  // namespace heed::server
