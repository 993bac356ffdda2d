// SPDX-License-Identifier: Apache-2.0
// Metrics: what the server has done so far, as Prometheus reads it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace heed::server {

// How often a value was at most each bound, their count and sum.
class Histogram {
 public:
  explicit Histogram(std::vector<double> bounds)
      : bounds_(std::move(bounds)), counts_(bounds_.size(), 0) {}

  void add(double value);
  // Lines NAME_bucket, NAME_sum and NAME_count; `labels` as `route="/v1/translate"`, or empty.
  std::string lines(std::string_view name, std::string_view labels) const;
  std::uint64_t count() const { return count_; }

 private:
  std::vector<double> bounds_;
  std::vector<std::uint64_t> counts_;
  std::uint64_t count_ = 0;
  double sum_ = 0;
};

// Of what changes while the server runs, known to others.
struct Gauges {
  std::size_t queue = 0;
  std::size_t generations = 0;
  std::size_t connections = 0;
};

// All calls may come from any thread.
class Metrics {
 public:
  // `route` is a path of the API, so that the number of labels is bounded whatever is asked for.
  void add_request(const std::string& route, int status, double seconds);
  void add_batch(std::size_t requests, std::int64_t tokens);
  void add_written(std::int64_t tokens);
  void add_reload(bool well);

  std::string text(const Gauges& gauges) const;

 private:
  mutable std::mutex mutex_{};
  std::map<std::pair<std::string, int>, std::uint64_t> requests_{};
  std::map<std::string, Histogram> seconds_{};
  Histogram batch_requests_{{1, 2, 4, 8, 16, 32, 64, 128}};
  Histogram batch_tokens_{{16, 64, 256, 1024, 4096, 16384}};
  std::uint64_t tokens_ = 0;
  std::uint64_t written_ = 0;
  std::array<std::uint64_t, 2> reloads_{};  // failed, well
};

}  // namespace heed::server
