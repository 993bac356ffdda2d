// SPDX-License-Identifier: Apache-2.0
// Api: from a request to its answer. Checks, hands work to the engine, waits, and turns every error
// into JSON.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "server/api/routes.h"
#include "server/engine/engine.h"
#include "server/engine/jobs.h"
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

  // What can be said of a request before its body is read: nothing when it may go on, else an
  // answer, after which the connection cannot be used again.
  std::optional<HttpResponse> refuse(const HttpRequest& head) const;
  // Never throws. Status kClientLeft: nobody is there to hear it.
  HttpResponse answer(const HttpRequest& request) noexcept;
  // The route for metrics and logs: a path of the API, or "other".
  std::string route_of(const HttpRequest& request) const;

  const std::vector<Route>& routes() const { return routes_; }
  // How many connections there are, for /metrics.
  void set_connections(std::function<std::size_t()> count) { connections_ = std::move(count); }

 private:
  HttpResponse dispatch(const HttpRequest& request);
  HttpResponse get(const std::string& name) const;
  HttpResponse post(const Route& route, const HttpRequest& request);

  // What a job of this request costs, is told apart by, and may take.
  JobSetting setting_of(const Route& route, const nlohmann::json& body, const ServedModel* model,
                        std::int64_t cost) const;
  // The tokens of all texts. HttpError 422 beyond the limits.
  std::int64_t checked_cost(const ServedModel& model, std::span<const std::string> texts,
                            const std::string& field, std::int64_t times = 1) const;
  // Waits for the job's end. HttpError 504 at its deadline; cancels it when nobody is there.
  void wait(Job& job, const HttpRequest& request) const;
  HttpResponse done(const std::shared_ptr<ModelJob>& job, const HttpRequest& request);

  HttpResponse translate(const Route& route, const HttpRequest& request);
  HttpResponse generate(const Route& route, const HttpRequest& request);
  HttpResponse classify(const Route& route, const HttpRequest& request);
  HttpResponse score(const Route& route, const HttpRequest& request);
  HttpResponse fill(const Route& route, const HttpRequest& request);
  HttpResponse attend(const Route& route, const HttpRequest& request);

  Engine& engine_;
  Access& access_;
  Metrics& metrics_;
  Limits limits_;
  std::vector<Route> routes_;
  std::string openapi_;
  std::string mechanisms_;
  std::function<std::size_t()> connections_ = [] { return std::size_t{0}; };
};

// An error as an answer.
HttpResponse error_response(const HttpError& error);

}  // namespace heed::server
