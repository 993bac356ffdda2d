// SPDX-License-Identifier: Apache-2.0
// The list of routes, and looking them up.
#include "server/api/routes.h"

#include <algorithm>

namespace heed::server {
namespace {

// A function-local static: it exists before the first route of any file lists itself.
std::vector<Route (*)(const Limits&)>& listed() {
  static std::vector<Route (*)(const Limits&)> all;
  return all;
}

}  // namespace

ListedRoute::ListedRoute(Route (*make)(const Limits&)) {
  listed().push_back(make);
}

std::vector<Route> make_routes(const Limits& limits) {
  std::vector<Route> routes;
  for (const auto& make : listed()) routes.push_back(make(limits));
  std::ranges::sort(routes, {}, [](const Route& route) {
    return std::pair(route.method != "POST", std::string_view(route.path));
  });
  return routes;
}

const Route* find_route(std::span<const Route> routes, const std::string& method,
                        const std::string& path) {
  const auto found = std::ranges::find_if(
      routes, [&](const Route& route) { return route.method == method && route.path == path; });
  return found == routes.end() ? nullptr : &*found;
}

std::vector<std::string> methods_of(std::span<const Route> routes, const std::string& path) {
  std::vector<std::string> methods;
  for (const Route& route : routes) {
    if (route.path != path) continue;
    methods.push_back(route.method);
    if (route.method == "GET") methods.emplace_back("HEAD");
  }
  return methods;
}

}  // namespace heed::server
