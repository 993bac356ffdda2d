// SPDX-License-Identifier: Apache-2.0
// The routes of the API as one table: what each takes, what it gives, which errors it may answer
// with. Requests are read by it and /openapi.json is made from it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "server/api/fields.h"
#include "server/serve_options.h"

namespace heed::server {

struct Route {
  std::string method = {};
  std::string path = {};
  std::string name = {};  // "translate"
  std::string summary = {};
  std::vector<Field> fields = {};                         // of the body, for POST
  std::vector<std::string> types = {"application/json"};  // of the answer
  nlohmann::json answer = nullptr;                        // its JSON Schema, where it is JSON
  bool open = false;                                      // whether no token is asked for
};

std::vector<Route> make_routes(const Limits& limits);

// nullptr when there is none.
const Route* find_route(std::span<const Route> routes, const std::string& method,
                        const std::string& path);
// What `Allow` says of a path; empty when nothing is there.
std::vector<std::string> methods_of(std::span<const Route> routes, const std::string& path);

}  // namespace heed::server
