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
#include "server/engine/model_keeper.h"
#include "server/http/access.h"
#include "server/http/http.h"
#include "server/http/http_error.h"
#include "server/http/metrics.h"
#include "server/serve_options.h"

namespace heed::server {

// Which routes an address has.
enum class Door {
  everything,
  // Those for clients; what watches the server and may not be seen by all is elsewhere.
  clients,
  // Those that watch the server, and no page.
  monitors,
};

struct ApiSetting {
  Limits limits{};
  bool secured = false;       // whether a token is asked for
  bool metrics_open = false;  // whether none is asked of what watches the server
  Door door = Door::everything;
  ModelKeeper* keeper = nullptr;  // with one, requests may add and remove models
};

class Api {
 public:
  // All must outlive this.
  Api(Engine& engine, Access& access, Metrics& metrics, const ApiSetting& setting);

  // What can be said of a request before its body is read: nothing when it may continue, else an
  // answer, after which the connection cannot be used again.
  std::optional<HttpResponse> refuse(const HttpRequest& head) const;
  // Errors become answers. Status kClientLeft: nobody is there to hear it.
  HttpResponse answer(const HttpRequest& request);
  // An error of a request, in the form of the route it asks for.
  HttpResponse error(const HttpRequest& request, const HttpError& error) const;
  // The route for metrics and logs: a path of the API, "other", or "unread" without any path.
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
  ModelKeeper& keeper() { return *setting_.keeper; }  // for routes that change what is served
  const std::string& description() const { return openapi_; }  // /openapi.json
  std::string metrics_text() const;
  // How often a waiting worker looks whether its client is still there.
  static constexpr auto kGlance = std::chrono::milliseconds(50);

 private:
  // `model` becomes the name of the one that is asked.
  HttpResponse dispatch(const HttpRequest& request, std::string& model);
  bool has_page() const { return setting_.door != Door::monitors; }
  // Waits for the job's end. HttpError 504 at its deadline; cancels it when nobody is there.
  void wait(Job& job, const HttpRequest& request) const;

  Engine& engine_;
  Access& access_;
  Metrics& metrics_;
  ApiSetting setting_;
  std::vector<Route> routes_;
  std::string openapi_;
  std::function<std::size_t()> connections_ = [] { return std::size_t{0}; };
};

// JSON as a body: pieces of a tokeniser may be single bytes of a letter, which are replaced.
std::string dumped(const nlohmann::ordered_json& value);

}  // namespace heed::server
