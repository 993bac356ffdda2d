// SPDX-License-Identifier: Apache-2.0
// What comes before and after the work: routes, access and errors.
#include "server/api/api.h"

#include <algorithm>
#include <charconv>
#include <new>

#include "heed/base/error.h"
#include "heed/base/text.h"
#include "server/api/assets.h"
#include "server/api/openapi.h"
#include "server/http/http_error.h"

namespace heed::server {

using nlohmann::ordered_json;

std::string dumped(const ordered_json& value) {
  return value.dump(-1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

namespace {

std::vector<Route> routes_for(const ApiSetting& setting) {
  std::vector<Route> routes = make_routes(setting.limits);
  std::erase_if(routes, [&](const Route& route) {
    if (route.admin && setting.keeper == nullptr) return true;
    // Whether a server lives and is ready may be asked anywhere, by anybody.
    if (setting.door == Door::clients) return route.monitors && !route.open;
    return setting.door == Door::monitors && !route.monitors;
  });
  for (Route& route : routes) route.open |= route.monitors && setting.metrics_open;
  return routes;
}

}  // namespace

Api::Api(Engine& engine, Access& access, Metrics& metrics, const ApiSetting& setting)
    : engine_(engine),
      access_(access),
      metrics_(metrics),
      setting_(setting),
      routes_(routes_for(setting)),
      openapi_(openapi(routes_, {.secured = setting.secured}).dump(2) + "\n") {}

HttpResponse Api::error(const HttpRequest& request, const HttpError& error) const {
  const Route* route = find_route(routes_, request.path);
  const ErrorForm& form = route == nullptr ? heed_errors() : *route->errors;
  HttpResponse response{.status = error.status(), .body = form.body(error, request.id)};
  if (error.retry_seconds() > 0) {
    response.headers.emplace_back("Retry-After", fmt::format("{}", error.retry_seconds()));
  }
  if (error.status() == 401) response.headers.emplace_back("WWW-Authenticate", "Bearer");
  return response;
}

std::string Api::route_of(const HttpRequest& request) const {
  if (request.path.empty()) return "unread";
  if (const Route* route = find_route(routes_, request.path)) return route->path;
  if (!has_page() || find_asset(request.path) == nullptr) return "other";
  return request.path == "/" ? "/" : "/live";
}

std::optional<HttpResponse> Api::refuse(const HttpRequest& head) const {
  try {
    access_.check_host(head);
    const bool reads = head.method == "GET" || head.method == "HEAD";
    const bool page = has_page() && find_asset(head.path) != nullptr;
    if (page && reads) return std::nullopt;
    const Route* route = find_route(routes_, reads ? "GET" : head.method, head.path);
    // Who has no token learns nothing of what there is.
    if (route == nullptr || !route->open) access_.check_token(head);
    if (route == nullptr) {
      std::vector<std::string> methods = methods_of(routes_, head.path);
      if (page) methods = {"GET", "HEAD"};
      if (methods.empty()) {
        throw HttpError({.status = 404, .where = head.path},
                        "there is nothing here; GET /openapi.json lists what there is");
      }
      HttpResponse response = error(head, HttpError({.status = 405, .where = head.path},
                                                    "{} is not for this path; it takes {}",
                                                    shorten(head.method, 20), join(methods, ", ")));
      response.headers.emplace_back("Allow", join(methods, ", "));
      return response;
    }
    if (has_no_body(head.method)) return std::nullopt;
    const std::string type = lower(head.header("content-type"));
    if (trim(type.substr(0, type.find(';'))) != "application/json") {
      throw HttpError({.status = 415, .where = "Content-Type"},
                      "the body is \"{}\"; send JSON as application/json", shorten(type, 60));
    }
    if (!head.header("content-encoding").empty()) {
      throw HttpError({.status = 415, .where = "Content-Encoding"},
                      "send the body as it is, not packed");
    }
    const std::string length = head.header("content-length");
    if (length.empty() && head.header("transfer-encoding").empty()) {
      throw HttpError({.status = 411, .where = "Content-Length"},
                      "say how long the body is with Content-Length");
    }
    std::uint64_t bytes = 0;
    const auto [end, failed] = std::from_chars(length.data(), length.data() + length.size(), bytes);
    if (!length.empty() && (failed != std::errc{} || end != length.data() + length.size() ||
                            bytes > static_cast<std::uint64_t>(setting_.limits.body))) {
      throw HttpError({.status = 413, .where = "Content-Length"},
                      "a body of {} bytes; it may have {}", length, setting_.limits.body);
    }
    return std::nullopt;
  } catch (const HttpError& refusal) {
    return error(head, refusal);
  }
}

HttpResponse Api::answer(const HttpRequest& request) {
  std::string model;
  const auto failed = [&](const HttpError& reason) {
    HttpResponse response = error(request, reason);
    response.model = model;
    return response;
  };
  try {
    try {
      HttpResponse response = dispatch(request, model);
      response.model = model;
      return response;
    } catch (const HttpError& reason) {
      return failed(reason);
    } catch (const UsageError& reason) {
      return failed(HttpError({.status = 400}, reason.what()));
    } catch (const DataError& reason) {
      return failed(HttpError({.status = 422}, reason.what()));
    } catch (const std::bad_alloc&) {
      return failed(HttpError({.status = 503, .retry_seconds = 1}, "out of memory"));
    } catch (const std::exception& reason) {
      return failed(HttpError({.status = 500}, "{} (this is a bug in heed)", reason.what()));
    }
  } catch (...) {
    return {.status = 500, .type = "text/plain"};
  }
}

HttpResponse Api::dispatch(const HttpRequest& request, std::string& model) {
  const bool reads = request.method == "GET" || request.method == "HEAD";
  const Route* route = find_route(routes_, reads ? "GET" : request.method, request.path);
  if (route == nullptr) return asset_response(request.path);
  RouteCall call{.api = *this,
                 .route = *route,
                 .request = request,
                 .model = model,
                 .name = name_in_path(*route, request.path)};
  if (!has_no_body(request.method)) {
    if (!route->admin) engine_.check_room();
    call.place = std::make_shared<Access::Place>(access_, request.client);
    call.body = read_fields(request.body, route->fields);
  }
  return route->call(call);
}

}  // namespace heed::server
