// SPDX-License-Identifier: Apache-2.0
// Signals are blocked on every thread and taken by one, so that nothing is interrupted by them.
#include "server/serve.h"

#include <fmt/format.h>
#include <pthread.h>
#include <signal.h>

#include <exception>
#include <thread>

#include "heed/base/error.h"
#include "heed/base/threads.h"
#include "server/api/api.h"
#include "server/engine/engine.h"
#include "server/engine/served_model.h"
#include "server/http/access.h"
#include "server/http/http_server.h"
#include "server/http/log.h"
#include "server/http/metrics.h"

namespace heed::server {
namespace {

// The signals that mean something here, blocked from now on: threads started later inherit that.
class Signals {
 public:
  Signals() {
    sigemptyset(&set_);
    for (const int signal : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&set_, signal);
    pthread_sigmask(SIG_BLOCK, &set_, &before_);
  }
  ~Signals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  int wait() const {
    int signal = 0;
    while (sigwait(&set_, &signal) != 0) {
    }
    return signal;
  }

 private:
  sigset_t set_{};
  sigset_t before_{};
};

AccessOptions access_of(const ServeOptions& options, const std::string& token) {
  AccessOptions access{.token = token, .requests_per_client = options.limits.requests_per_client};
  // A server for this machine alone answers to its own names; one for others, to any unless set
  // otherwise.
  if (options.on_loopback()) access.hosts = {"localhost", "127.0.0.1", "::1"};
  if (!access.hosts.empty() || !options.allowed_hosts.empty()) {
    access.hosts.push_back(options.host);
    access.hosts.insert(access.hosts.end(), options.allowed_hosts.begin(),
                        options.allowed_hosts.end());
  }
  return access;
}

// Requests are answered meanwhile.
void reload(std::span<const ModelPlace> places, Engine& engine, Metrics& metrics, Log& log) {
  try {
    ModelSet models = load_models(places);
    const std::size_t count = models.size();
    engine.replace(std::move(models));
    metrics.add_reload(true);
    log.event(fmt::format("reloaded {} model{}", count, count == 1 ? "" : "s"));
  } catch (const std::exception& error) {
    metrics.add_reload(false);
    log.event(fmt::format("the models stay as they are: {}", error.what()));
  }
}

}  // namespace

void serve(const ServeOptions& options, const std::function<void(const std::string&)>& ready) {
  const Signals signals;
  if (options.threads > 0) set_threads(options.threads);
  const std::vector<ModelPlace> places = model_places(options.models);
  const std::string token = options.effective_token();
  if (!options.on_loopback() && token.empty()) {
    fmt::print(stderr,
               "heed serve: {} can be reached by other machines, and no token is asked for; "
               "--token-file FILE asks for one\n",
               options.host);
  }
  Log log({.form = options.log, .text = options.log_text});
  Metrics metrics;
  Access access(access_of(options, token));
  Engine engine(load_models(places),
                {.batch = options.batch,
                 .queue = options.limits.queue,
                 .generations = options.limits.generations},
                metrics);
  Api api(engine, access, metrics, options.limits, !token.empty());
  HttpServer http(
      {.host = options.host,
       .port = options.port,
       .connections = static_cast<std::size_t>(options.limits.connections),
       .body_bytes = static_cast<std::size_t>(options.limits.body),
       .limits = {.receive_seconds = options.limits.receive_seconds,
                  .idle_seconds = options.limits.idle_seconds}},
      {.refuse = [&](const HttpRequest& head) { return api.refuse(head); },
       .answer = [&](const HttpRequest& request) { return api.answer(request); },
       .finished =
           [&](const HttpRequest& request, int status, double seconds, std::size_t bytes) {
             const std::string route = api.route_of(request);
             metrics.add_request(route, status, seconds);
             log.request(request, route, {.status = status, .seconds = seconds, .bytes = bytes});
           }});
  api.set_connections([&] { return http.open_connections(); });
  std::thread listening([&] { http.run(); });
  const bool six = options.host.find(':') != std::string::npos;
  const std::string host = six ? fmt::format("[{}]", options.host) : options.host;
  ready(fmt::format("http://{}:{}", host, http.port()));
  while (signals.wait() == SIGHUP) reload(places, engine, metrics, log);
  if (options.log != LogForm::none) log.event("stopping: finishing what has begun");
  http.stop();
  listening.join();
  engine.stop();
}

}  // namespace heed::server
