// SPDX-License-Identifier: Apache-2.0
// Metrics: what the server has done so far, as Prometheus reads it.
#pragma once

#include <array>
#include <compare>
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

// A model as it is served now.
struct ModelGauges {
  std::string name = {};
  std::string task = {};
  std::int64_t parameters = 0;
  double load_seconds = 0;  // how long loading it took
  double loaded_at = 0;     // seconds since 1970
  std::size_t waiting = 0;  // requests for it in the queue
};

// Of what changes while the server runs, known to others.
struct Gauges {
  std::size_t queue = 0;
  std::size_t generations = 0;
  std::size_t connections = 0;
  bool ready = false;
  std::vector<ModelGauges> models = {};
};

// What a request is counted under: a route of the API ("other" for none, "unread" for one whose
// first line never came), and the name of a model that is served; empty where none was reached.
struct RequestLabels {
  std::string route = {};
  std::string model = {};
  int status = 0;

  auto operator<=>(const RequestLabels&) const = default;
};

// All calls may come from any thread.
class Metrics {
 public:
  // Labels are names of ours, so that their number is bounded whatever clients ask for.
  void add_request(const RequestLabels& labels, double seconds);
  // `model` is empty for work without one, such as a mechanism.
  void add_batch(const std::string& model, std::size_t requests, std::int64_t tokens);
  void add_written(const std::string& model, std::int64_t tokens);
  // Of a folder that was loaded once more, or for the first time while the server runs.
  void add_reload(const std::string& model, bool well);

  std::string text(const Gauges& gauges) const;

 private:
  mutable std::mutex mutex_{};
  struct Work {
    Histogram batch_requests{{1, 2, 4, 8, 16, 32, 64, 128}};
    Histogram batch_tokens{{16, 64, 256, 1024, 4096, 16384}};
    std::uint64_t tokens = 0;
    std::uint64_t written = 0;
    std::array<std::uint64_t, 2> reloads{};  // failed, well
  };
  std::map<RequestLabels, std::uint64_t> requests_{};
  std::map<std::pair<std::string, std::string>, Histogram> seconds_{};  // of route and model
  std::map<std::string, Work> work_{};                                  // of each model
};

}  // namespace heed::server
