// SPDX-License-Identifier: Apache-2.0
// GET /openapi.json: this API, described by its routes.
#include "server/api/api.h"

namespace heed::server {
namespace {

Route make(const Limits&) {
  return {.path = "/openapi.json",
          .name = "openapi",
          .summary = "Describe this API",
          .answer = {{"type", "object"}},
          .open = true,
          .call = [](RouteCall& call) -> HttpResponse { return {.body = call.api.description()}; }};
}

const ListedRoute kListed(make);

}  // namespace
}  // namespace heed::server
