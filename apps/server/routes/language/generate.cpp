// SPDX-License-Identifier: Apache-2.0
// POST /v1/generate: a text continued, at once or as it is written.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "heed/pipeline/language/language_writing.h"
#include "server/api/answer_trace.h"
#include "server/api/api.h"
#include "server/api/common_fields.h"
#include "server/api/event_stream.h"
#include "server/api/option_fields.h"
#include "server/api/schemas.h"
#include "server/engine/event_job.h"

namespace heed::server {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr int kTokensATurn = 8;

struct GenerateRequest {
  std::string prompt{};
  pipeline::GenerateOptions options{};
  TraceRequest trace{};
  bool stream = false;
};

GenerateRequest generate_request_of(const json& body) {
  TraceRequest trace = trace_of(body);
  GenerateRequest request{.prompt = body["prompt"].get<std::string>(),
                          .trace = std::move(trace),
                          .stream = body["stream"].get<bool>()};
  Options list;
  request.options.declare(list);
  set_from(body, list);
  check_stops(request.options.stop);
  request.options.trace = request.trace.wanted;
  if (request.options.greedy) {
    refuse_drawing(body, "belongs to drawing, and \"greedy\" draws nothing");
  }
  if (request.stream && request.trace.wanted) {
    refuse_field("attention",
                 "the attention comes with the whole text; ask for it without \"stream\"");
  }
  return request;
}

// Written a few tokens at a time, in turns with other work; ends at its length, at its deadline, or
// when nobody waits any more.
class GenerateJob final : public EventJob {
 public:
  // `seat` is given back with the job.
  GenerateJob(JobSetting setting, ModelPointer model, GenerateRequest request,
              std::shared_ptr<void> seat)
      : EventJob(std::move(setting), std::move(model)),
        request_(std::move(request)),
        seat_(std::move(seat)) {}
  void run(std::span<const Pointer> batch) override;
  bool go_on() override;
  std::int64_t written() const override;
  ordered_json answer() const override;

 private:
  GenerateRequest request_;
  std::shared_ptr<void> seat_;
  std::unique_ptr<pipeline::LanguageGenerator::Writing> writing_{};  // the engine's own
  // Guarded by mutex_:
  std::string text_{};
  std::string reason_ = "length";
  std::int64_t written_ = 0;
  insight::TracedExample trace_{};
};

void GenerateJob::run(std::span<const Pointer>) {
  writing_ = std::make_unique<pipeline::LanguageGenerator::Writing>(
      as<pipeline::LanguageGenerator>(), request_.prompt, request_.options);
}

bool GenerateJob::go_on() {
  const bool late = Clock::now() >= deadline();
  for (int i = 0; i < kTokensATurn && !writing_->done() && !late && !cancelled(); ++i) {
    const std::string piece = writing_->next();
    {
      const std::lock_guard lock(mutex_);
      text_ += piece;
      ++written_;
    }
    if (request_.stream && !piece.empty()) tell(event_text("piece", {{"text", piece}}));
  }
  if (!writing_->done() && !late && !cancelled()) return true;
  {
    const std::lock_guard lock(mutex_);
    reason_ = writing_->stopped() ? "stop" : writing_->done() ? "length" : "deadline";
    if (request_.trace.wanted) trace_ = chosen_heads(writing_->finished().trace, request_.trace);
  }
  writing_.reset();
  return false;
}

std::int64_t GenerateJob::written() const {
  const std::lock_guard lock(mutex_);
  return written_;
}

ordered_json GenerateJob::answer() const {
  const std::lock_guard lock(mutex_);
  ordered_json answer = {
      {"model", served().name}, {"text", text_}, {"tokens", written_}, {"reason", reason_}};
  if (request_.trace.wanted) answer["trace"] = trace_json(trace_, served().name, served().task());
  return answer;
}

std::vector<Field> generate_fields(const Limits& limits) {
  pipeline::GenerateOptions options;
  Options list;
  options.declare(list);
  std::vector<Field> fields = {
      model_field(),
      {.name = "prompt",
       .help = fmt::format("what the text begins with, at most {} tokens", limits.length),
       .otherwise = "",
       .example = "Once"}};
  // How much may be written, the server says.
  Field& length = fields.emplace_back(field_of(list, "length"));
  length.most = std::min(*length.most, static_cast<double>(limits.written));
  length.otherwise = std::min(options.length, limits.written);
  length.example = 20;
  fields.push_back(field_of(list, "greedy"));
  fields.push_back(field_of(list, "stop"));
  fields.back().example = "\n";
  fields.push_back(
      {.name = "stream",
       .kind = FieldKind::flag,
       .help = "answer by server-sent events: a `piece` for each token, then `end` or `error`",
       .otherwise = false});
  add_drawing_fields(list, fields);
  add_trace_fields(fields);
  return fields;
}

json generate_schema() {
  return object_of({{"model", text_schema()},
                    {"text", text_schema()},
                    {"tokens", whole_schema()},
                    {"reason", {{"type", "string"}, {"enum", {"length", "stop", "deadline"}}}},
                    {"trace?", trace_schema()}});
}

HttpResponse generate(RouteCall& call) {
  GenerateRequest asked = generate_request_of(call.body);
  const bool stream = asked.stream;
  const ModelPointer model = call.api.model_for(call, {"language"});
  const std::int64_t cost = call.api.checked_cost(*model, std::span(&asked.prompt, 1), "/prompt");
  JobSetting setting = call.api.setting_of(call, model.get(), cost);
  setting.key += Api::alone();
  const auto job = std::make_shared<GenerateJob>(std::move(setting), model, std::move(asked),
                                                 call.api.engine().take_seat());
  if (!stream) return call.api.done(job, call);
  return event_stream(job, call,
                      {.well = [job] { return event_text("end", job->answer()); },
                       .failed =
                           [id = call.request.id](const HttpError& error) {
                             return event_text("error", {{"kind", kind_of(error.status())},
                                                         {"message", error.what()},
                                                         {"request_id", id}});
                           }});
}

Route generate_route(const Limits& limits) {
  return {.method = "POST",
          .path = "/v1/generate",
          .name = "generate",
          .summary = "Continue a text, at once or as it is written",
          .fields = generate_fields(limits),
          .types = {"application/json", "text/event-stream"},
          .answer = generate_schema(),
          .call = generate};
}

const ListedRoute kListed(generate_route);

}  // namespace
}  // namespace heed::server
