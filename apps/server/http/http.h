// SPDX-License-Identifier: Apache-2.0
// A request and its answer as the API sees them, free of sockets and of the library that parses
// HTTP.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace heed::server {

struct HttpRequest {
  std::string method = {};
  std::string path = {};
  std::string body = {};
  std::string client = {};                          // its address
  std::map<std::string, std::string> headers = {};  // names in lower case
  // Whether the client has gone away, so that nobody waits for the answer.
  std::function<bool()> hung_up = [] { return false; };

  // Empty when there is none.
  std::string header(const std::string& lower_case_name) const {
    const auto found = headers.find(lower_case_name);
    return found == headers.end() ? std::string() : found->second;
  }
};

struct HttpResponse {
  int status = 200;
  std::string type = "application/json";
  std::string body = {};
  std::vector<std::pair<std::string, std::string>> headers = {};
  // A body that comes piece by piece, in place of `body`: waits for the next piece, and gives
  // nothing after the last. `drop` is called when the reader has gone.
  std::function<std::optional<std::string>()> next_piece = {};
  std::function<void()> drop = {};
};

// The status of a client that left before its answer was ready; it is counted, never sent.
inline constexpr int kClientLeft = 499;

}  // namespace heed::server
