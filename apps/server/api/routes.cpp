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

constexpr std::string_view kName = "{name}";

bool is_at(const Route& route, const std::string& path) {
  return route.path == path || !name_in_path(route, path).empty();
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

std::string name_in_path(const Route& route, const std::string& path) {
  if (!route.path.ends_with(kName)) return {};
  const std::string_view fixed =
      std::string_view(route.path).substr(0, route.path.size() - kName.size());
  if (!path.starts_with(fixed)) return {};
  const std::string name = path.substr(fixed.size());
  return name.find('/') == name.npos ? name : std::string();
}

const Route* find_route(std::span<const Route> routes, const std::string& method,
                        const std::string& path) {
  const auto found = std::ranges::find_if(
      routes, [&](const Route& route) { return route.method == method && is_at(route, path); });
  return found == routes.end() ? nullptr : &*found;
}

const Route* find_route(std::span<const Route> routes, const std::string& path) {
  const auto found =
      std::ranges::find_if(routes, [&](const Route& route) { return is_at(route, path); });
  return found == routes.end() ? nullptr : &*found;
}

std::vector<std::string> methods_of(std::span<const Route> routes, const std::string& path) {
  std::vector<std::string> methods;
  for (const Route& route : routes) {
    if (!is_at(route, path)) continue;
    methods.push_back(route.method);
    if (route.method == "GET") methods.emplace_back("HEAD");
  }
  return methods;
}

}  // namespace heed::server
