// SPDX-License-Identifier: Apache-2.0
// The kinds of errors by status, and their JSON.
#include "server/http/http_error.h"

#include <nlohmann/json.hpp>

namespace heed::server {

std::string kind_of(int status) {
  switch (status) {
    case 400:
      return "usage";
    case 401:
      return "unauthorised";
    case 403:
      return "forbidden";
    case 404:
      return "not_found";
    case 405:
      return "method";
    case 408:
      return "slow";
    case 409:
      return "conflict";
    case 411:
      return "length";
    case 413:
      return "too_large";
    case 414:
      return "too_long";
    case 415:
      return "content_type";
    case 422:
      return "data";
    case 429:
      return "too_many";
    case 431:
      return "too_long";
    case 503:
      return "busy";
    case 504:
      return "deadline";
    default:
      return status < 500 ? "usage" : "internal";
  }
}

std::string error_body(const HttpError& error, const std::string& request_id) {
  const nlohmann::ordered_json body = {{"error",
                                        {{"kind", kind_of(error.status())},
                                         {"message", error.what()},
                                         {"where", error.where()},
                                         {"request_id", request_id}}}};
  // A message may quote what a client sent.
  return body.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace heed::server
