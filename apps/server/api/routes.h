// SPDX-License-Identifier: Apache-2.0
// Route: one path of the API, whole in one file of server/routes: what it takes, what it gives and
// how it is answered. Requests are read by its fields and /openapi.json is made from them.
//
//   Route make(const Limits&) {
//     return {.path = "/healthz", .name = "health", .summary = "Say that the server lives",
//             .answer = health_schema(), .call = [](RouteCall&) { return ...; }};
//   }
//   const ListedRoute kListed(make);
//
// A path may end with a part that requests fill in: "/v1/models/{name}".
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "server/api/error_forms.h"
#include "server/api/fields.h"
#include "server/http/access.h"
#include "server/http/http.h"
#include "server/serve_options.h"

namespace heed::server {

class Api;
struct Route;

// A request whose head and fields have passed.
struct RouteCall {
  Api& api;
  const Route& route;
  const HttpRequest& request;
  std::string& model;             // the one it is counted under; model_for() sets it
  nlohmann::json body = nullptr;  // of POST: every field with a value or a default
  std::string name = {};          // of the path, what stands for its "{name}"
  std::shared_ptr<Access::Place> place =
      {};  // of its client, kept while the answer is in the making
};

struct Route {
  std::string method = "GET";
  std::string path = {};
  std::string name = {};  // "attend"
  std::string summary = {};
  std::vector<Field> fields = {};                         // of the body, for POST
  std::vector<std::string> types = {"application/json"};  // of the answer
  nlohmann::json answer = nullptr;                        // its JSON Schema, where it is JSON
  bool open = false;                                      // whether no token is asked for
  bool monitors = false;  // whether it is asked by what watches the server
  bool admin = false;     // whether it changes what is served
  const ErrorForm* errors = &heed_errors();
  std::function<HttpResponse(RouteCall&)> call = {};
};

struct ListedRoute {
  explicit ListedRoute(Route (*make)(const Limits&));
};

// Every listed route, those with a body first, by path.
std::vector<Route> make_routes(const Limits& limits);

// What a path has where the route's has "{name}"; empty for a route without.
std::string name_in_path(const Route& route, const std::string& path);

// nullptr when there is none.
const Route* find_route(std::span<const Route> routes, const std::string& method,
                        const std::string& path);
// The first route of a path, whatever its method; nullptr when nothing is there.
const Route* find_route(std::span<const Route> routes, const std::string& path);
// What `Allow` says of a path; empty when nothing is there.
std::vector<std::string> methods_of(std::span<const Route> routes, const std::string& path);

}  // namespace heed::server
