// SPDX-License-Identifier: Apache-2.0
// Signals are blocked on every thread and taken by one, so that nothing is interrupted by them.
#include "server/serve.h"

#include <fmt/format.h>
#include <pthread.h>
#include <signal.h>

#include <chrono>
#include <cmath>
#include <memory>
#include <thread>

#include "heed/base/error.h"
#include "heed/base/threads.h"
#include "server/api/api.h"
#include "server/engine/engine.h"
#include "server/engine/model_keeper.h"
#include "server/engine/model_roots.h"
#include "server/engine/served_model.h"
#include "server/http/access.h"
#include "server/http/http_server.h"
#include "server/http/log.h"
#include "server/http/metrics.h"

namespace heed::server {
namespace {

// How often --watch looks at the folders; a change is loaded when two looks have found the same.
constexpr double kWatchSeconds = 1;
constexpr std::size_t kMonitorConnections = 16;

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
  // The same for some seconds; 0 when none came.
  int wait(double seconds) const {
    const double whole = std::floor(seconds);
    const timespec time{.tv_sec = static_cast<time_t>(whole),
                        .tv_nsec = static_cast<long>((seconds - whole) * 1e9)};
    const int signal = sigtimedwait(&set_, nullptr, &time);
    return signal > 0 ? signal : 0;
  }

 private:
  sigset_t set_{};
  sigset_t before_{};
};

// A server for this machine alone answers to its own names; one for others, to any unless set
// otherwise.
AccessOptions access_at(const ListenAddress& address, const std::vector<std::string>& allowed) {
  AccessOptions access;
  if (address.on_loopback()) access.hosts = {"localhost", "127.0.0.1", "::1"};
  if (!access.hosts.empty() || !allowed.empty()) {
    access.hosts.push_back(address.host);
    access.hosts.insert(access.hosts.end(), allowed.begin(), allowed.end());
  }
  return access;
}

std::string url_of(const ListenAddress& address) {
  const bool six = address.host.find(':') != std::string::npos;
  return fmt::format(fmt::runtime(six ? "http://[{}]:{}" : "http://{}:{}"), address.host,
                     address.port);
}

// One address with what it answers, on a thread of its own.
class Listener {
 public:
  struct Counts {
    Metrics& metrics;
    Log& log;
  };
  Listener(const HttpServerSetting& setting, Api& api, Counts counts)
      : http_(setting,
              {.refuse = [&api](const HttpRequest& head) { return api.refuse(head); },
               .answer = [&api](const HttpRequest& request) { return api.answer(request); },
               .error = [&api](const HttpRequest& request,
                               const HttpError& error) { return api.error(request, error); },
               .finished =
                   [&api, counts](const HttpRequest& request, const Finished& outcome) {
                     const std::string route = api.route_of(request);
                     counts.metrics.add_request({route, outcome.model, outcome.status},
                                                outcome.seconds);
                     counts.log.request(request, route, outcome);
                   }}),
        host_(setting.host) {}
  ~Listener() { stop(); }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  void run() {
    thread_ = std::thread([this] { http_.run(); });
  }
  void stop() {
    http_.stop();
    if (thread_.joinable()) thread_.join();
  }
  ListenAddress address() const { return {host_, http_.port()}; }
  std::size_t open_connections() const { return http_.open_connections(); }

 private:
  HttpServer http_;
  std::string host_;
  std::thread thread_{};
};

// Until a signal ends it; SIGHUP loads all folders again.
void wait_for_end(const Signals& signals, ModelKeeper& keeper, bool watch) {
  for (;;) {
    const int signal = watch ? signals.wait(kWatchSeconds) : signals.wait();
    if (signal == SIGHUP) keeper.reload();
    if (signal == 0) keeper.look();
    if (signal == SIGTERM || signal == SIGINT) return;
  }
}

// Requests are still answered, while /readyz says that they should go elsewhere. Another signal
// ends the wait.
void drain(const Signals& signals, double seconds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  for (;;) {
    const double left =
        std::chrono::duration<double>(end - std::chrono::steady_clock::now()).count();
    if (left <= 0) return;
    if (const int signal = signals.wait(left); signal == SIGTERM || signal == SIGINT) return;
  }
}

}  // namespace

void serve(const ServeOptions& options, const std::function<void(const std::string&)>& ready) {
  const Signals signals;
  options.check();
  if (options.threads > 0) set_threads(options.threads);
  const std::vector<ModelPlace> places = model_places(options.models);
  const std::string token = options.effective_token();
  if (!options.address().on_loopback() && token.empty()) {
    fmt::print(stderr,
               "heed serve: {} can be reached by other machines, and no token is asked for; "
               "--token-file FILE asks for one\n",
               options.host);
  }
  Log log({.form = options.log, .text = options.log_text});
  Metrics metrics;
  ModelKeeper::Setting kept{.places = places, .roots = model_roots(options.model_roots)};
  for (const ModelPlace& place : places) kept.watch.note(place.folder);
  Engine engine(load_models(places),
                {.batch = options.batch,
                 .queue = options.limits.queue,
                 .generations = options.limits.generations},
                metrics);
  ModelKeeper keeper(std::move(kept), engine, metrics, log);
  const bool apart = !options.metrics_listen.empty();

  AccessOptions who = access_at(options.address(), options.allowed_hosts);
  who.token = token;
  who.requests_per_client = options.limits.requests_per_client;
  Access access(who);
  Api api(engine, access, metrics,
          {.limits = options.limits,
           .secured = !token.empty(),
           .metrics_open = options.metrics_open,
           .door = apart ? Door::clients : Door::everything,
           .keeper = options.admin ? &keeper : nullptr});
  const ConnectionLimits patience{.receive_seconds = options.limits.receive_seconds,
                                  .idle_seconds = options.limits.idle_seconds};
  Listener clients({.host = options.host,
                    .port = options.port,
                    .connections = static_cast<std::size_t>(options.limits.connections),
                    .body_bytes = static_cast<std::size_t>(options.limits.body),
                    .limits = patience},
                   api, {metrics, log});

  // What watches the server has connections of its own, so that it sees a server without any left.
  const ListenAddress place =
      apart ? ListenAddress::parse(options.metrics_listen, "--metrics-listen") : ListenAddress();
  Access monitor_access(access_at(place, options.allowed_hosts));
  Api monitor_api(engine, monitor_access, metrics,
                  {.limits = options.limits, .door = Door::monitors});
  std::unique_ptr<Listener> monitors;
  if (apart) {
    monitors = std::make_unique<Listener>(HttpServerSetting{.host = place.host,
                                                            .port = place.port,
                                                            .connections = kMonitorConnections,
                                                            .limits = patience},
                                          monitor_api, Listener::Counts{metrics, log});
  }
  for (Api* each : {&api, &monitor_api}) {
    each->set_connections([&clients] { return clients.open_connections(); });
  }
  clients.run();
  if (monitors) {
    monitors->run();
    log.event(fmt::format("metrics on {}", url_of(monitors->address())));
  }
  ready(url_of(clients.address()));
  wait_for_end(signals, keeper, options.watch);
  engine.drain();
  if (options.log != LogForm::none) log.event("stopping: finishing what has begun");
  drain(signals, options.drain_seconds);
  clients.stop();
  if (monitors) monitors->stop();
  engine.stop();
}

}  // namespace heed::server
