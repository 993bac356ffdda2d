// SPDX-License-Identifier: Apache-2.0
// POST /v1/ask: a story and a question in, the likeliest answers and what each hop looked at out.
#include <fmt/format.h>

#include <memory>

#include "heed/pipeline/memory/asker.h"
#include "server/api/answer_trace.h"
#include "server/api/api.h"
#include "server/api/common_fields.h"
#include "server/api/schemas.h"
#include "server/engine/model_job.h"

namespace heed::server {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

struct AskRequest {
  std::vector<std::string> sentences{};
  std::string question{};
  pipeline::AskOptions options{};
  TraceRequest trace{};
};

class AskJob final : public ModelJob {
 public:
  AskJob(JobSetting setting, ModelPointer model, AskRequest request)
      : ModelJob(std::move(setting), std::move(model)), request_(std::move(request)) {}
  void run(std::span<const Pointer> batch) override;
  ordered_json answer() const override;

 private:
  AskRequest request_;
  pipeline::StoryAnswer found_{};
};

void AskJob::run(std::span<const Pointer> batch) {
  const auto& asker = as<pipeline::Asker>();
  for (AskJob* job : all_of<AskJob>(batch)) {
    const AskRequest& asked = job->request_;
    job->found_ = asker.ask(asked.sentences, asked.question, asked.options);
  }
}

ordered_json AskJob::answer() const {
  ordered_json answers = ordered_json::array();
  for (const pipeline::Answer& one : found_.answers) {
    answers.push_back({{"answer", one.text}, {"probability", one.score}});
  }
  ordered_json sentences = ordered_json::array();
  for (const pipeline::RememberedSentence& one : found_.sentences) {
    sentences.push_back({{"text", one.text}, {"weights", one.weights}});
  }
  ordered_json answer = {{"model", served().name},
                         {"answers", std::move(answers)},
                         {"sentences", std::move(sentences)},
                         {"nothing", found_.nothing},
                         {"unknown", found_.unknown}};
  if (request_.trace.wanted) {
    answer["trace"] = trace_json(chosen_heads(pipeline::Asker::traced(found_), request_.trace),
                                 served().name, served().task());
  }
  return answer;
}

std::vector<Field> ask_fields(const Limits& limits) {
  std::vector<Field> fields = {
      model_field(),
      {.name = "story",
       .help = fmt::format("sentences, each on a line or ended by its full stop, of at most {} "
                           "tokens together",
                           limits.length),
       .required = true,
       .example = "Alice went to the kitchen. Bruno moved to the hall."},
      {.name = "question",
       .help = "what to ask about it",
       .required = true,
       .example = "Where is Alice?"},
      {.name = "count",
       .kind = FieldKind::whole,
       .help = "answers",
       .otherwise = 5,
       .least = 1,
       .most = 100}};
  add_trace_fields(fields);
  return fields;
}

json ask_schema() {
  const json answer = object_of({{"answer", text_schema()}, {"probability", number_schema()}});
  const json sentence = object_of({{"text", text_schema()}, {"weights", list_of(number_schema())}});
  return object_of({{"model", text_schema()},
                    {"answers", list_of(answer)},
                    {"sentences", list_of(sentence)},
                    {"nothing", list_of(number_schema())},
                    {"unknown", list_of(text_schema())},
                    {"trace?", trace_schema()}});
}

HttpResponse ask(RouteCall& call) {
  const std::string story = call.body["story"].get<std::string>();
  TraceRequest trace = trace_of(call.body);
  AskRequest asked{.sentences = text::story_sentences(story),
                   .question = call.body["question"].get<std::string>(),
                   .options = {.top = call.body["count"].get<std::int64_t>()},
                   .trace = std::move(trace)};
  const ModelPointer model = call.api.model_for(call, {"memory"});
  const std::int64_t cost =
      call.api.checked_cost(*model, std::span(&story, 1), "/story") +
      call.api.checked_cost(*model, std::span(&asked.question, 1), "/question");
  return call.api.done(std::make_shared<AskJob>(call.api.setting_of(call, model.get(), cost), model,
                                                std::move(asked)),
                       call);
}

Route ask_route(const Limits& limits) {
  return {.method = "POST",
          .path = "/v1/ask",
          .name = "ask",
          .summary = "Answer a question on a story",
          .fields = ask_fields(limits),
          .answer = ask_schema(),
          .call = ask};
}

const ListedRoute kListed(ask_route);

}  // namespace
}  // namespace heed::server
