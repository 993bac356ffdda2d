// SPDX-License-Identifier: Apache-2.0
// The OpenAPI 3.1 page of the API, made from the table of routes.
#pragma once

#include <span>

#include <nlohmann/json.hpp>

#include "server/api/routes.h"

namespace heed::server {

// `secured`: whether a bearer token is asked for.
struct OpenApiOptions {
  bool secured = false;
};
nlohmann::ordered_json openapi(std::span<const Route> routes, const OpenApiOptions& options);

}  // namespace heed::server
