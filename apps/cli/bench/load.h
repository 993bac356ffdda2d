// SPDX-License-Identifier: Apache-2.0
// Load: many clients that ask a server of this machine again and again, and how it took that.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace heed::cli {

struct LoadOptions {
  int port = 8080;
  std::size_t clients = 64;
  double seconds = 10;
  double rate = 0;  // requests a second of all clients together; 0: each asks again at once
  std::string path = "/v1/translate";
  // The body of the n-th request of all.
  std::function<std::string(std::size_t n)> body = {};
};

struct LoadOutcome {
  double seconds = 0;
  std::map<int, std::size_t> statuses = {};  // 0: the connection broke
  std::vector<double> served_ms = {};        // of answers with status 200, sorted
  std::vector<double> refused_ms = {};       // of those with 503, sorted

  std::size_t served() const { return served_ms.size(); }
  std::size_t errors() const;  // neither 200 nor 503
};

// Every client has one connection and one request at a time. UsageError when nobody listens there.
LoadOutcome load(const LoadOptions& options);

// The answer to one GET; empty when there is none.
std::string fetched(int port, const std::string& path);

// The share-th of sorted values: 0.99 of a hundred is the 99th.
double quantile(const std::vector<double>& sorted, double share);

}  // namespace heed::cli
