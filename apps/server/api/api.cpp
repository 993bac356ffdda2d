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

HttpResponse error_response(const HttpError& error) {
  HttpResponse response{.status = error.status(),
                        .body = error_body(error.status(), error.what(), error.where())};
  if (error.retry_seconds() > 0) {
    response.headers.emplace_back("Retry-After", fmt::format("{}", error.retry_seconds()));
  }
  if (error.status() == 401) response.headers.emplace_back("WWW-Authenticate", "Bearer");
  return response;
}

Api::Api(Engine& engine, Access& access, Metrics& metrics, const Limits& limits, bool secured)
    : engine_(engine),
      access_(access),
      metrics_(metrics),
      limits_(limits),
      routes_(make_routes(limits)),
      openapi_(openapi(routes_, {.secured = secured}).dump(2) + "\n") {}

std::string Api::route_of(const HttpRequest& request) const {
  if (!methods_of(routes_, request.path).empty() || request.path == "/") return request.path;
  return find_asset(request.path) != nullptr ? "/live" : "other";
}

std::optional<HttpResponse> Api::refuse(const HttpRequest& head) const {
  try {
    access_.check_host(head);
    const bool reads = head.method == "GET" || head.method == "HEAD";
    const bool page = find_asset(head.path) != nullptr;
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
      HttpResponse response = error_response(
          HttpError({.status = 405, .where = head.path}, "{} is not for this path; it takes {}",
                    shorten(head.method, 20), join(methods, ", ")));
      response.headers.emplace_back("Allow", join(methods, ", "));
      return response;
    }
    if (reads) return std::nullopt;
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
    const auto [end, error] = std::from_chars(length.data(), length.data() + length.size(), bytes);
    if (!length.empty() && (error != std::errc{} || end != length.data() + length.size() ||
                            bytes > static_cast<std::uint64_t>(limits_.body))) {
      throw HttpError({.status = 413, .where = "Content-Length"},
                      "a body of {} bytes; it may have {}", length, limits_.body);
    }
    return std::nullopt;
  } catch (const HttpError& error) {
    return error_response(error);
  }
}

HttpResponse Api::answer(const HttpRequest& request) noexcept {
  try {
    try {
      return dispatch(request);
    } catch (const HttpError& error) {
      return error_response(error);
    } catch (const UsageError& error) {
      return error_response(HttpError({.status = 400}, error.what()));
    } catch (const DataError& error) {
      return error_response(HttpError({.status = 422}, error.what()));
    } catch (const std::bad_alloc&) {
      return error_response(HttpError({.status = 503, .retry_seconds = 1}, "out of memory"));
    } catch (const std::exception& error) {
      return error_response(HttpError({.status = 500}, "{} (this is a bug in heed)", error.what()));
    }
  } catch (...) {
    return {.status = 500, .type = "text/plain"};
  }
}

HttpResponse Api::dispatch(const HttpRequest& request) {
  const bool reads = request.method == "GET" || request.method == "HEAD";
  const Route* route = find_route(routes_, reads ? "GET" : request.method, request.path);
  if (route == nullptr) return asset_response(request.path);
  RouteCall call{.api = *this, .route = *route, .request = request};
  if (!reads) {
    engine_.check_room();
    call.place = std::make_shared<Access::Place>(access_, request.client);
    call.body = read_fields(request.body, route->fields);
  }
  return route->call(call);
}

}  // namespace heed::server
