// SPDX-License-Identifier: Apache-2.0
// A request and its answer as the API sees them, free of sockets and of the library that parses
// HTTP.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace heed::server {

struct HttpRequest {
  std::string method = {};
  std::string path = {};
  std::string body = {};
  std::string client = {};                          // its address
  std::string id = {};                              // see request_id.h
  std::map<std::string, std::string> headers = {};  // names in lower case
  // Whether the client has gone away, so that nobody waits for the answer.
  std::function<bool()> hung_up = [] { return false; };

  // Empty when there is none.
  std::string header(const std::string& lower_case_name) const {
    const auto found = headers.find(lower_case_name);
    return found == headers.end() ? std::string() : found->second;
  }
};

// Of the methods that are answered here, those whose requests have no body.
inline bool has_no_body(std::string_view method) {
  return method == "GET" || method == "HEAD" || method == "DELETE";
}

struct HttpResponse {
  int status = 200;
  std::string model = {};  // that answered, or was asked and refused; empty: none was reached
  std::string type = "application/json";
  std::string body = {};
  std::vector<std::pair<std::string, std::string>> headers = {};
  // A body that comes piece by piece, in place of `body`: waits for the next piece, and gives
  // nothing after the last. `drop` is called when the reader has gone.
  std::function<std::optional<std::string>()> next_piece = {};
  std::function<void()> drop = {};
};

// How a request ended, for those who count.
struct Finished {
  int status = 0;
  double seconds = 0;     // from its last byte to its answer
  std::size_t bytes = 0;  // of the answer's body; of a stream, those sent
  std::string model = {};
};

// The status of a client that left before its answer was ready; it is counted, never sent.
inline constexpr int kClientLeft = 499;

}  // namespace heed::server
