// SPDX-License-Identifier: Apache-2.0
// HttpError: a request that gets an error for an answer, and the JSON that says so.
#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace heed::server {

// What an error is about. `where` is a JSON pointer into the body ("/beam"), a header's name or the
// path of the request.
struct ErrorPlace {
  int status = 400;
  std::string where = {};
  int retry_seconds = 0;  // above 0: the answer says when to try again
};

class HttpError : public std::runtime_error {
 public:
  HttpError(ErrorPlace place, const std::string& message)
      : std::runtime_error(message), place_(std::move(place)) {}
  template <typename First, typename... Rest>
  HttpError(ErrorPlace place, fmt::format_string<First, Rest...> text, First&& first,
            Rest&&... rest)
      : HttpError(std::move(place),
                  fmt::format(text, std::forward<First>(first), std::forward<Rest>(rest)...)) {}

  int status() const { return place_.status; }
  const std::string& where() const { return place_.where; }
  int retry_seconds() const { return place_.retry_seconds; }

 private:
  ErrorPlace place_;
};

// "usage" of 400, "busy" of 503, ...; the kinds are part of the API.
std::string kind_of(int status);

// {"error": {"kind": ..., "message": ..., "where": ..., "request_id": ...}}
std::string error_body(const HttpError& error, const std::string& request_id);

}  // namespace heed::server
