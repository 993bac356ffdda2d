// SPDX-License-Identifier: Apache-2.0
// Api: from a request to its answer. Checks, hands work to the engine, waits, and turns every error
// into JSON.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "server/api/routes.h"
#include "server/engine/engine.h"
#include "server/engine/model_job.h"
#include "server/http/access.h"
#include "server/http/http.h"
#include "server/http/http_error.h"
#include "server/http/metrics.h"
#include "server/serve_options.h"

namespace heed::server {

class Api {
 public:
  // All three must outlive this.
  Api(Engine& engine, Access& access, Metrics& metrics, const Limits& limits, bool secured);

  // What can be said of a request before its body is read: nothing when it may continue, else an
  // answer, after which the connection cannot be used again.
  std::optional<HttpResponse> refuse(const HttpRequest& head) const;
  // Never throws. Status kClientLeft: nobody is there to hear it.
  HttpResponse answer(const HttpRequest& request) noexcept;
  // The route for metrics and logs: a path of the API, or "other".
  std::string route_of(const HttpRequest& request) const;

  const std::vector<Route>& routes() const { return routes_; }
  // How many connections there are, for /metrics.
  void set_connections(std::function<std::size_t()> count) { connections_ = std::move(count); }

  // What routes are answered with:
  // The model that the request names, or the first of these kinds. HttpError as of find_model.
  ModelPointer model_for(const RouteCall& call, const std::vector<std::string>& kinds) const;
  // What a job of this request costs, is told apart by, and may take.
  JobSetting setting_of(const RouteCall& call, const ServedModel* model, std::int64_t cost) const;
  // A part of a job's key that makes it unlike all others.
  static std::string alone();
  // The tokens of all texts. HttpError 422 beyond the limits.
  std::int64_t checked_cost(const ServedModel& model, std::span<const std::string> texts,
                            const std::string& field, std::int64_t times = 1) const;
  // Hands the job to the engine and waits for its answer.
  HttpResponse done(const std::shared_ptr<AnsweringJob>& job, const RouteCall& call);
  Engine& engine() { return engine_; }
  const std::string& description() const { return openapi_; }  // /openapi.json
  std::string metrics_text() const;
  // How often a waiting worker looks whether its client is still there.
  static constexpr auto kGlance = std::chrono::milliseconds(50);

 private:
  HttpResponse dispatch(const HttpRequest& request);
  // Waits for the job's end. HttpError 504 at its deadline; cancels it when nobody is there.
  void wait(Job& job, const HttpRequest& request) const;

  Engine& engine_;
  Access& access_;
  Metrics& metrics_;
  Limits limits_;
  std::vector<Route> routes_;
  std::string openapi_;
  std::function<std::size_t()> connections_ = [] { return std::size_t{0}; };
};

// An error as an answer.
HttpResponse error_response(const HttpError& error);

// JSON as a body: pieces of a tokeniser may be single bytes of a letter, which are replaced.
std::string dumped(const nlohmann::ordered_json& value);

}  // namespace heed::server
