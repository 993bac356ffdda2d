// SPDX-License-Identifier: Apache-2.0
// GET /metrics: the server's counts, for Prometheus.
#include "server/api/api.h"

namespace heed::server {
namespace {

HttpResponse metrics(RouteCall& call) {
  return {.type = "text/plain; version=0.0.4; charset=utf-8", .body = call.api.metrics_text()};
}

Route metrics_route(const Limits&) {
  return {.path = "/metrics",
          .name = "metrics",
          .summary = "Give the server's counts, for Prometheus",
          .types = {"text/plain"},
          .monitors = true,
          .call = metrics};
}

const ListedRoute kListed(metrics_route);

}  // namespace
}  // namespace heed::server
