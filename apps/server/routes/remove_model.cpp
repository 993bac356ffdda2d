// SPDX-License-Identifier: Apache-2.0
// DELETE /v1/models/{name}: one model less, while the server runs. Only with --admin.
#include "server/api/api.h"
#include "server/api/schemas.h"

namespace heed::server {
namespace {

HttpResponse remove_model(RouteCall& call) {
  call.api.keeper().remove(call.name);
  return {.body = dumped({{"id", call.name}, {"object", "model"}, {"deleted", true}})};
}

Route remove_model_route(const Limits&) {
  return {.method = "DELETE",
          .path = "/v1/models/{name}",
          .name = "remove_model",
          .summary = "Serve a model no more; what has begun with it is finished",
          .answer = object_of(
              {{"id", text_schema()}, {"object", text_schema()}, {"deleted", flag_schema()}}),
          .admin = true,
          .call = remove_model};
}

const ListedRoute kListed(remove_model_route);

}  // namespace
}  // namespace heed::server
