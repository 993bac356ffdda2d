// SPDX-License-Identifier: Apache-2.0
// The text form of Prometheus: a HELP and a TYPE line for each metric, then its values.
#include "server/http/metrics.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "heed/kernels/targets.h"
#include "heed/tensor/real.h"

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

void Metrics::add_request(const RequestLabels& labels, double seconds) {
  const std::lock_guard lock(mutex_);
  ++requests_[labels];
  seconds_.try_emplace({labels.route, labels.model}, kSeconds).first->second.add(seconds);
}

void Metrics::add_batch(const std::string& model, std::size_t requests, std::int64_t tokens) {
  const std::lock_guard lock(mutex_);
  Work& work = work_[model];
  work.batch_requests.add(static_cast<double>(requests));
  work.batch_tokens.add(static_cast<double>(tokens));
  work.tokens += static_cast<std::uint64_t>(tokens);
}

void Metrics::add_written(const std::string& model, std::int64_t tokens) {
  const std::lock_guard lock(mutex_);
  work_[model].written += static_cast<std::uint64_t>(tokens);
}

void Metrics::add_reload(const std::string& model, bool well) {
  const std::lock_guard lock(mutex_);
  ++work_[model].reloads[well ? 1 : 0];
}

std::string Metrics::text(const Gauges& gauges) const {
  const std::lock_guard lock(mutex_);
  std::string text = heading("heed_build_info", "gauge", "What this build is.");
  text +=
      fmt::format("heed_build_info{{version=\"{}\",target=\"{}\",real=\"{}\"}} 1\n", HEED_VERSION,
                  kernels::current_target(), sizeof(Real) == 4 ? "float" : "double");
  text += plain("heed_ready", "gauge", "1 while /readyz says so.", gauges.ready ? 1 : 0);
  text += heading("heed_requests_total", "counter", "Requests by route, model and status.");
  for (const auto& [labels, count] : requests_) {
    text += fmt::format("heed_requests_total{{route=\"{}\",model=\"{}\",status=\"{}\"}} {}\n",
                        labels.route, labels.model, labels.status, count);
  }
  text += heading("heed_request_seconds", "histogram", "From a request's last byte to its answer.");
  for (const auto& [labels, histogram] : seconds_) {
    text += histogram.lines("heed_request_seconds",
                            fmt::format("route=\"{}\",model=\"{}\"", labels.first, labels.second));
  }
  const auto of_each_model = [&](const std::string& name, const char* type, const char* help,
                                 const auto& lines) {
    text += heading(name, type, help);
    for (const auto& [model, work] : work_) {
      text += lines(name, fmt::format("model=\"{}\"", model), work);
    }
  };
  const auto count = [](std::uint64_t Work::*member) {
    return [member](const std::string& name, const std::string& labels, const Work& work) {
      return fmt::format("{}{{{}}} {}\n", name, labels, work.*member);
    };
  };
  const auto spread = [](Histogram Work::*member) {
    return [member](const std::string& name, const std::string& labels, const Work& work) {
      return (work.*member).lines(name, labels);
    };
  };
  of_each_model("heed_batch_requests", "histogram", "Requests worked on together.",
                spread(&Work::batch_requests));
  of_each_model("heed_batch_tokens", "histogram", "Tokens worked on together, times beams.",
                spread(&Work::batch_tokens));
  of_each_model("heed_tokens_total", "counter", "Tokens worked on, times beams.",
                count(&Work::tokens));
  of_each_model("heed_written_tokens_total", "counter", "Tokens generated.", count(&Work::written));
  of_each_model("heed_reloads_total", "counter", "Loads of model folders while the server runs.",
                [](const std::string& name, const std::string& labels, const Work& work) {
                  return fmt::format(
                      "{0}{{{1},outcome=\"loaded\"}} {2}\n{0}{{{1},outcome=\"failed\"}} {3}\n",
                      name, labels, work.reloads[1], work.reloads[0]);
                });
  const auto of_each_served = [&](const char* name, const char* help, const auto& value) {
    text += heading(name, "gauge", help);
    for (const ModelGauges& model : gauges.models) {
      text += fmt::format("{}{{model=\"{}\"}} {}\n", name, model.name, value(model));
    }
  };
  text += heading("heed_model_info", "gauge", "The models that are served.");
  for (const ModelGauges& model : gauges.models) {
    text += fmt::format("heed_model_info{{model=\"{}\",task=\"{}\"}} 1\n", model.name, model.task);
  }
  of_each_served("heed_model_parameters", "Parameters of a model.",
                 [](const ModelGauges& model) { return model.parameters; });
  of_each_served(
      "heed_model_load_seconds", "How long loading a model took.",
      [](const ModelGauges& model) { return fmt::format("{:.6f}", model.load_seconds); });
  of_each_served("heed_model_loaded_timestamp_seconds", "When a model was loaded.",
                 [](const ModelGauges& model) { return fmt::format("{:.3f}", model.loaded_at); });
  of_each_served("heed_model_queue_length", "Requests that wait for a model.",
                 [](const ModelGauges& model) { return model.waiting; });
  text += plain("heed_queue_length", "gauge", "Requests that wait.", gauges.queue);
  text += plain("heed_generations", "gauge", "Texts that are being written.", gauges.generations);
  text += plain("heed_connections", "gauge", "Open connections.", gauges.connections);
  text += plain("heed_resident_bytes", "gauge", "Memory in use.", resident_bytes());
  return text;
}

}  // namespace heed::server
