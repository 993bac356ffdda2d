// SPDX-License-Identifier: Apache-2.0
// The routes that need a model: the request is read and weighed here, and done by the engine.
#include <algorithm>
#include <atomic>
#include <chrono>

#include "attend/answer.h"
#include "heed/base/error.h"
#include "heed/base/text.h"
#include "server/api/api.h"
#include "server/api/requests.h"
#include "server/engine/attend_job.h"
#include "server/http/http_error.h"

namespace heed::server {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

// How often a waiting worker looks whether its client is still there.
constexpr auto kGlance = std::chrono::milliseconds(50);
constexpr Clock::duration kGrace = std::chrono::seconds(2);

const std::vector<std::string> kTranslators = {"translate"};
const std::vector<std::string> kWriters = {"language"};
const std::vector<std::string> kJudges = {"classify"};
const std::vector<std::string> kScorers = {"translate", "language"};
const std::vector<std::string> kFillers = {"masked"};

// What makes a key unlike all others.
std::string alone() {
  static std::atomic<std::uint64_t> count = 0;
  return fmt::format(" alone {}", ++count);
}

std::string event(const std::string& name, const ordered_json& data) {
  return fmt::format("event: {}\ndata: {}\n\n", name,
                     data.dump(-1, ' ', false, ordered_json::error_handler_t::replace));
}

}  // namespace

JobSetting Api::setting_of(const Route& route, const json& body, const ServedModel* model,
                           std::int64_t cost) const {
  // Requests that say the same but for their texts can be worked on together.
  json rest = body;
  for (const char* field : {"text", "target", "second", "prompt", "model"}) rest.erase(field);
  const auto seconds = std::chrono::duration<double>(limits_.deadline_seconds);
  return {.key = fmt::format("{} {} {}", route.name, fmt::ptr(model), rest.dump()),
          .cost = cost,
          .deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(seconds)};
}

std::int64_t Api::checked_cost(const ServedModel& model, std::span<const std::string> texts,
                               const std::string& field, std::int64_t times) const {
  const auto refuse = [&](const std::string& message) {
    throw HttpError({.status = 422, .where = field}, message);
  };
  if (static_cast<std::int64_t>(texts.size()) > limits_.texts) {
    refuse(fmt::format("{} texts; a request may have {}", texts.size(), limits_.texts));
  }
  std::int64_t cost = 0;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    // A token is a byte at least: what is far too long need not be cut into tokens.
    const bool hopeless = static_cast<std::int64_t>(texts[i].size()) > 64 * limits_.length;
    const std::int64_t tokens = hopeless ? limits_.length + 1 : model.tokens(texts[i]);
    if (tokens > limits_.length) {
      refuse(hopeless ? fmt::format("text {} has {} bytes; a text may have {} tokens", i + 1,
                                    texts[i].size(), limits_.length)
                      : fmt::format("text {} has {} tokens; it may have {}", i + 1, tokens,
                                    limits_.length));
    }
    cost += tokens * times;
  }
  if (cost > limits_.cost) {
    refuse(fmt::format("the request costs {} tokens{}; it may cost {}: send fewer texts at once",
                       cost, times > 1 ? fmt::format(" ({} for each of the text)", times) : "",
                       limits_.cost));
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
                      limits_.deadline_seconds);
    }
  }
}

HttpResponse Api::post(const Route& route, const HttpRequest& request) {
  engine_.check_room();
  if (route.name == "translate") return translate(route, request);
  if (route.name == "generate") return generate(route, request);
  if (route.name == "classify") return classify(route, request);
  if (route.name == "score") return score(route, request);
  if (route.name == "fill") return fill(route, request);
  return attend(route, request);
}

HttpResponse Api::translate(const Route& route, const HttpRequest& request) {
  const Access::Place place = access_.enter(request.client);
  const json body = read_fields(request.body, route.fields);
  TranslateRequest asked = translate_request(body);
  const ModelPointer model = find_model(*engine_.models(), asked.model, kTranslators);
  const bool sample = asked.options.search == pipeline::SearchKind::sample;
  const int rows = sample ? asked.options.sampling.samples : asked.options.beam.width;
  const std::int64_t cost = checked_cost(*model, asked.texts, "/text", rows);
  JobSetting setting = setting_of(route, body, model.get(), cost);
  // What is drawn is told apart by the place in its batch, and a document by its neighbours.
  if (sample || model->translator->reads_documents()) {
    setting.key += alone();
  }
  return done(std::make_shared<TranslateJob>(std::move(setting), model, std::move(asked)), request);
}

HttpResponse Api::classify(const Route& route, const HttpRequest& request) {
  const Access::Place place = access_.enter(request.client);
  const json body = read_fields(request.body, route.fields);
  ClassifyRequest asked = classify_request(body);
  const ModelPointer model = find_model(*engine_.models(), asked.model, kJudges);
  if (model->classifier->takes_second() != body.contains("second")) {
    throw HttpError({.status = 400, .where = "/second"},
                    body.contains("second")
                        ? "the model reads one text; leave \"second\" out"
                        : "the model compares two texts; give the other as \"second\"");
  }
  std::vector<std::string> texts;
  std::vector<std::string> second;
  for (const text::LabelledText& one : asked.texts) {
    texts.push_back(one.text);
    second.push_back(one.second);
    if (body.contains("second") && one.second.empty()) {
      throw HttpError({.status = 400, .where = "/second"}, "a second text is empty");
    }
  }
  const std::int64_t cost =
      checked_cost(*model, texts, "/text") + checked_cost(*model, second, "/second");
  return done(std::make_shared<ClassifyJob>(setting_of(route, body, model.get(), cost), model,
                                            std::move(asked)),
              request);
}

HttpResponse Api::score(const Route& route, const HttpRequest& request) {
  const Access::Place place = access_.enter(request.client);
  const json body = read_fields(request.body, route.fields);
  ScoreRequest asked = score_request(body);
  const ModelPointer model = find_model(*engine_.models(), asked.model, kScorers);
  const bool pairs = model->translator != nullptr;
  if (pairs != body.contains("target")) {
    throw HttpError({.status = 400, .where = "/target"},
                    pairs ? "a translator scores pairs; give the translation as \"target\""
                          : "a language model scores texts; leave \"target\" out");
  }
  const std::int64_t cost =
      checked_cost(*model, asked.texts, "/text") + checked_cost(*model, asked.targets, "/target");
  JobSetting setting = setting_of(route, body, model.get(), cost);
  if (pairs && model->translator->reads_documents()) {
    setting.key += alone();
  }
  return done(std::make_shared<ScoreJob>(std::move(setting), model, std::move(asked)), request);
}

HttpResponse Api::fill(const Route& route, const HttpRequest& request) {
  const Access::Place place = access_.enter(request.client);
  const json body = read_fields(request.body, route.fields);
  FillRequest asked = fill_request(body);
  const ModelPointer model = find_model(*engine_.models(), asked.model, kFillers);
  const std::int64_t cost = checked_cost(*model, std::span(&asked.text, 1), "/text");
  return done(std::make_shared<FillJob>(setting_of(route, body, model.get(), cost), model,
                                        std::move(asked)),
              request);
}

HttpResponse Api::attend(const Route& route, const HttpRequest& request) {
  const Access::Place place = access_.enter(request.client);
  const json body = read_fields(request.body, route.fields);
  const auto cost = static_cast<std::int64_t>(request.body.size() / 8 + 1);
  JobSetting setting = setting_of(route, body, nullptr, cost);
  const auto job = std::make_shared<AttendJob>(std::move(setting), body);
  engine_.submit(job);
  wait(*job, request);
  if (job->cancelled()) return {.status = kClientLeft};
  job->check();
  std::string answer = job->answer().dump() + "\n";
  return {.body = std::move(answer)};
}

HttpResponse Api::generate(const Route& route, const HttpRequest& request) {
  auto place = std::make_shared<Access::Place>(access_, request.client);
  const json body = read_fields(request.body, route.fields);
  GenerateRequest asked = generate_request(body);
  const bool stream = asked.stream;
  const ModelPointer model = find_model(*engine_.models(), asked.model, kWriters);
  const std::int64_t cost = checked_cost(*model, std::span(&asked.prompt, 1), "/prompt");
  JobSetting setting = setting_of(route, body, model.get(), cost);
  setting.key += alone();
  const auto job = std::make_shared<GenerateJob>(std::move(setting), model, std::move(asked),
                                                 engine_.take_seat());
  if (!stream) return done(job, request);
  engine_.submit(job);
  HttpResponse response{.type = "text/event-stream"};
  response.headers.emplace_back("Cache-Control", "no-store");
  response.drop = [job] { job->cancel(); };
  response.next_piece = [job, place, hung_up = request.hung_up,
                         over = false]() mutable -> std::optional<std::string> {
    while (!over) {
      const std::string piece = job->take_pieces(Clock::now() + kGlance);
      if (!piece.empty()) return event("piece", {{"text", piece}});
      if (job->ended()) {
        over = true;
        try {
          job->check();
          return event("end", job->answer());
        } catch (const HttpError& error) {
          return event("error", {{"kind", kind_of(error.status())}, {"message", error.what()}});
        } catch (const std::exception& error) {
          return event("error", {{"kind", "data"}, {"message", error.what()}});
        }
      }
      if (hung_up()) {
        job->cancel();
        over = true;
      }
    }
    return std::nullopt;
  };
  return response;
}

}  // namespace heed::server
