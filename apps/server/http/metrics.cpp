// SPDX-License-Identifier: Apache-2.0
// The text form of Prometheus: a HELP and a TYPE line for each metric, then its values.
#include "server/http/metrics.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

namespace heed::server {
namespace {

const std::vector<double> kSeconds = {.001, .0025, .005, .01, .025, .05, .1,
                                      .25,  .5,    1,    2.5, 5,    10,  30};

// The second number of statm is what of the process is in memory, in pages.
std::uint64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::uint64_t all = 0;
  std::uint64_t resident = 0;
  file >> all >> resident;
  return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

std::string heading(std::string_view name, std::string_view type, std::string_view help) {
  return fmt::format("# HELP {0} {1}\n# TYPE {0} {2}\n", name, help, type);
}

std::string plain(std::string_view name, std::string_view type, std::string_view help,
                  std::uint64_t value) {
  return fmt::format("{}{} {}\n", heading(name, type, help), name, value);
}

}  // namespace

void Histogram::add(double value) {
  ++count_;
  sum_ += value;
  const auto first = std::ranges::lower_bound(bounds_, value) - bounds_.begin();
  for (std::size_t i = static_cast<std::size_t>(first); i < counts_.size(); ++i) ++counts_[i];
}

std::string Histogram::lines(std::string_view name, std::string_view labels) const {
  std::string text;
  const std::string more = labels.empty() ? "" : fmt::format("{},", labels);
  for (std::size_t i = 0; i < bounds_.size(); ++i) {
    text += fmt::format("{}_bucket{{{}le=\"{}\"}} {}\n", name, more, bounds_[i], counts_[i]);
  }
  const std::string own = labels.empty() ? "" : fmt::format("{{{}}}", labels);
  text += fmt::format("{}_bucket{{{}le=\"+Inf\"}} {}\n", name, more, count_);
  text += fmt::format("{}_sum{} {:.6f}\n{}_count{} {}\n", name, own, sum_, name, own, count_);
  return text;
}

void Metrics::add_request(const std::string& route, int status, double seconds) {
  const std::lock_guard lock(mutex_);
  ++requests_[{route, status}];
  seconds_.try_emplace(route, kSeconds).first->second.add(seconds);
}

void Metrics::add_batch(std::size_t requests, std::int64_t tokens) {
  const std::lock_guard lock(mutex_);
  batch_requests_.add(static_cast<double>(requests));
  batch_tokens_.add(static_cast<double>(tokens));
  tokens_ += static_cast<std::uint64_t>(tokens);
}

void Metrics::add_written(std::int64_t tokens) {
  const std::lock_guard lock(mutex_);
  written_ += static_cast<std::uint64_t>(tokens);
}

void Metrics::add_reload(bool well) {
  const std::lock_guard lock(mutex_);
  ++reloads_[well ? 1 : 0];
}

std::string Metrics::text(const Gauges& gauges) const {
  const std::lock_guard lock(mutex_);
  std::string text = heading("heed_requests_total", "counter", "Requests by route and status.");
  for (const auto& [label, count] : requests_) {
    text += fmt::format("heed_requests_total{{route=\"{}\",status=\"{}\"}} {}\n", label.first,
                        label.second, count);
  }
  text += heading("heed_request_seconds", "histogram", "From a request's last byte to its answer.");
  for (const auto& [route, histogram] : seconds_) {
    text += histogram.lines("heed_request_seconds", fmt::format("route=\"{}\"", route));
  }
  text += heading("heed_batch_requests", "histogram", "Requests worked on together.");
  text += batch_requests_.lines("heed_batch_requests", "");
  text += heading("heed_batch_tokens", "histogram", "Tokens worked on together, times beams.");
  text += batch_tokens_.lines("heed_batch_tokens", "");
  text += plain("heed_tokens_total", "counter", "Tokens worked on, times beams.", tokens_);
  text += plain("heed_written_tokens_total", "counter", "Tokens generated.", written_);
  text += heading("heed_reloads_total", "counter", "Reloads of the model folders.");
  text += fmt::format("heed_reloads_total{{outcome=\"well\"}} {}\n", reloads_[1]);
  text += fmt::format("heed_reloads_total{{outcome=\"failed\"}} {}\n", reloads_[0]);
  text += plain("heed_queue_length", "gauge", "Requests that wait.", gauges.queue);
  text += plain("heed_generations", "gauge", "Texts that are being written.", gauges.generations);
  text += plain("heed_connections", "gauge", "Open connections.", gauges.connections);
  text += plain("heed_resident_bytes", "gauge", "Memory in use.", resident_bytes());
  return text;
}

}  // namespace heed::server
