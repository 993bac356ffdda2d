// SPDX-License-Identifier: Apache-2.0
// What routes have in common: requests are weighed here, done by the engine and waited for.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>

#include "heed/base/error.h"
#include "heed/base/text.h"
#include "server/api/api.h"
#include "server/http/http_error.h"

namespace heed::server {
namespace {

constexpr Clock::duration kGrace = std::chrono::seconds(2);

}  // namespace

ModelPointer Api::model_for(const RouteCall& call, const std::vector<std::string>& kinds) const {
  ModelPointer found = find_model(*engine_.models(), call.body.value("model", ""), kinds);
  call.model = found->name;
  return found;
}

std::string Api::alone() {
  static std::atomic<std::uint64_t> count = 0;
  return fmt::format(" alone {}", ++count);
}

JobSetting Api::setting_of(const RouteCall& call, const ServedModel* model,
                           std::int64_t cost) const {
  // Requests that say the same but for their texts can be worked on together.
  nlohmann::json rest = call.body;
  for (const char* field : {"text", "target", "second", "prompt", "model"}) rest.erase(field);
  const auto seconds = std::chrono::duration<double>(setting_.limits.deadline_seconds);
  return {.key = fmt::format("{} {} {}", call.route.name, fmt::ptr(model), rest.dump()),
          .cost = cost,
          .model = model == nullptr ? "" : model->name,
          .deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(seconds)};
}

std::int64_t Api::checked_cost(const ServedModel& model, std::span<const std::string> texts,
                               const std::string& field, std::int64_t times) const {
  const auto refuse = [&](const std::string& message) {
    throw HttpError({.status = 422, .where = field}, message);
  };
  if (static_cast<std::int64_t>(texts.size()) > setting_.limits.texts) {
    refuse(fmt::format("{} texts; a request may have {}", texts.size(), setting_.limits.texts));
  }
  std::int64_t cost = 0;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    // A token is a byte at least: what is far too long need not be cut into tokens.
    const bool hopeless = static_cast<std::int64_t>(texts[i].size()) > 64 * setting_.limits.length;
    const std::int64_t tokens =
        hopeless ? setting_.limits.length + 1 : model.model->length(texts[i]);
    if (tokens > setting_.limits.length) {
      refuse(hopeless ? fmt::format("text {} has {} bytes; a text may have {} tokens", i + 1,
                                    texts[i].size(), setting_.limits.length)
                      : fmt::format("text {} has {} tokens; it may have {}", i + 1, tokens,
                                    setting_.limits.length));
    }
    cost += tokens * times;
  }
  if (cost > setting_.limits.cost) {
    refuse(fmt::format("the request costs {} tokens{}; it may cost {}: send fewer texts at once",
                       cost, times > 1 ? fmt::format(" ({} for each of the text)", times) : "",
                       setting_.limits.cost));
  }
  return cost;
}

void Api::wait(Job& job, const HttpRequest& request) const {
  // A text in the making is left off at its deadline and given back as far as it came.
  const auto until = job.deadline() + (job.is_long() ? kGrace : Clock::duration::zero());
  for (;;) {
    if (job.wait_until(std::min(Clock::now() + kGlance, until))) return;
    if (request.hung_up()) {
      job.cancel();
      return;
    }
    if (Clock::now() >= until) {
      job.cancel();
      throw HttpError({.status = 504, .where = "deadline"},
                      "the answer was not ready within {:g} s; send less at once, or raise "
                      "--deadline",
                      setting_.limits.deadline_seconds);
    }
  }
}

HttpResponse Api::done(const std::shared_ptr<AnsweringJob>& job, const RouteCall& call) {
  engine_.submit(job);
  wait(*job, call.request);
  if (job->cancelled()) return {.status = kClientLeft};
  job->check();
  std::string body = dumped(job->answer());
  return {.body = std::move(body)};
}

std::string Api::metrics_text() const {
  Gauges gauges{.queue = engine_.queue_length(),
                .generations = engine_.generations(),
                .connections = connections_(),
                .ready = engine_.ready()};
  std::map<std::string, std::size_t> waiting = engine_.waiting();
  const std::shared_ptr<const ModelSet> models = engine_.models();
  for (const ModelPointer& model : *models) {
    gauges.models.push_back({.name = model->name,
                             .task = model->task(),
                             .parameters = model->parameters,
                             .load_seconds = model->load_seconds,
                             .loaded_at = model->loaded_at,
                             .waiting = waiting[model->name]});
  }
  return metrics_.text(gauges);
}

}  // namespace heed::server
