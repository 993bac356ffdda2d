// SPDX-License-Identifier: Apache-2.0
// Lines as plain words with spaces between, or as JSON.
#include "server/http/log.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace heed::server {
namespace {

using nlohmann::ordered_json;

// UTC, to the millisecond.
std::string now() {
  const auto time = std::chrono::system_clock::now().time_since_epoch();
  const auto milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(time).count();
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z",
                     fmt::gmtime(static_cast<std::time_t>(milliseconds / 1000)),
                     milliseconds % 1000);
}

std::string dumped(const ordered_json& value) {
  return value.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace

std::string Log::line(const HttpRequest& request, const std::string& route, const Finished& outcome,
                      const std::string& time) const {
  const double ms = outcome.seconds * 1000;
  // The path of a route is ours; any other is what a client wrote, and so is its method.
  const std::string method = route.starts_with('/') ? request.method : "?";
  if (setting_.form == LogForm::json) {
    ordered_json line = {{"time", time},
                         {"request_id", request.id},
                         {"client", request.client},
                         {"method", method},
                         {"route", route},
                         {"model", outcome.model},
                         {"status", outcome.status},
                         {"ms", std::round(ms * 100) / 100},
                         {"bytes", outcome.bytes}};
    if (setting_.text) line["body"] = request.body;
    return dumped(line);
  }
  std::string line = fmt::format("{} {} {} {} {} {} {:.2f} ms {} B {}", time, request.id,
                                 request.client, method, route, outcome.status, ms, outcome.bytes,
                                 outcome.model.empty() ? "-" : outcome.model);
  if (setting_.text && !request.body.empty()) line += " " + dumped(request.body);
  return line;
}

void Log::request(const HttpRequest& request, const std::string& route, const Finished& outcome) {
  if (setting_.form == LogForm::none) return;
  write(line(request, route, outcome, now()));
}

void Log::event(std::string_view said) {
  const std::string time = now();
  std::string message(said);  // on one line, whatever names of folders hold
  std::ranges::replace_if(
      message, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 0x7F; }, ' ');
  write(setting_.form == LogForm::json ? dumped({{"time", time}, {"event", message}})
                                       : fmt::format("{} {}", time, message));
}

void Log::write(const std::string& line) {
  const std::lock_guard lock(mutex_);
  std::fputs((line + "\n").c_str(), stderr);
}

}  // namespace heed::server
