// SPDX-License-Identifier: Apache-2.0
// POST /v1/explain: how much each word of a text speaks for what a model says of it, by several
// explainers.
#include <fmt/format.h>

#include <memory>

#include "heed/pipeline/explanations.h"
#include "heed/pipeline/model_kind.h"
#include "server/api/answer_trace.h"
#include "server/api/api.h"
#include "server/api/common_fields.h"
#include "server/api/schemas.h"
#include "server/engine/model_job.h"

namespace heed::server {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

// Words of all copies that one request may have read: exact Shapley values of twelve words take
// 49,152.
constexpr std::size_t kMostWords = std::size_t{1} << 16;

struct ExplainRequest {
  pipeline::Input input{};
  pipeline::ExplainCall call{};
  TraceRequest trace{};
};

class ExplainJob final : public ModelJob {
 public:
  ExplainJob(JobSetting setting, ModelPointer model, ExplainRequest request)
      : ModelJob(std::move(setting), std::move(model)), request_(std::move(request)) {}
  void run(std::span<const Pointer>) override {
    found_ = pipeline::explanations(*served().model, request_.input, request_.call);
  }
  ordered_json answer() const override;

 private:
  ExplainRequest request_;
  pipeline::Explanations found_{};
};

ordered_json ExplainJob::answer() const {
  ordered_json answer = {{"model", served().name}};
  answer.update(ordered_json::parse(pipeline::explanations_json(found_)));
  if (request_.trace.wanted) {
    const insight::TracedExample example = pipeline::traced(found_, request_.input.text);
    answer["trace"] =
        trace_json(chosen_heads(example, request_.trace), served().name, served().task());
  }
  return answer;
}

std::vector<Field> explain_fields(const Limits& limits) {
  std::vector<Field> fields = {
      model_field(),
      {.name = "text",
       .help = fmt::format("a text of at most {} tokens", limits.length),
       .required = true,
       .example = "the cat sleeps"},
      {.name = "second",
       .help = "of models that compare two texts the other; of those that write what was written"},
      {.name = "method",
       .kind = FieldKind::texts,
       .help = "explainers as heed explain takes them; left out: those that suit the model, "
               "without what takes many copies of the text",
       .example = "leave_one_out"},
      {.name = "aspect", .help = "which answer, of models that give several"},
      {.name = "target",
       .help = "a class; of models that write or fill in a step from 1 on, a word, or STEP=WORD"}};
  add_trace_fields(fields);
  return fields;
}

json explain_schema() {
  const std::vector<std::pair<std::string, json>> shares = {
      {"shares?", list_of(number_schema())},
      {"standard_errors?", list_of(number_schema())},
      {"undefined?", text_schema()},
      {"note?", text_schema()}};
  std::vector<std::pair<std::string, json>> method = shares;
  method.emplace_back("method", text_schema());
  method.emplace_back("steps?", list_of(object_of(shares)));
  const json perhaps = {{"type", {"number", "null"}}};
  const json step = object_of(
      {{"target", text_schema()}, {"probability", number_schema()}, {"output", number_schema()}});
  return object_of({{"model", text_schema()},
                    {"target?", text_schema()},
                    {"probability?", number_schema()},
                    {"output?", number_schema()},
                    {"words", list_of(text_schema())},
                    {"pieces?", list_of(text_schema())},
                    {"steps?", list_of(step)},
                    {"methods", list_of(object_of(method))},
                    {"agreement", list_of(object_of({{"first", text_schema()},
                                                     {"second", text_schema()},
                                                     {"tau", perhaps},
                                                     {"p", perhaps}}))},
                    {"trace?", trace_schema()}});
}

std::string text_or_nothing(const json& body, const char* field) {
  return body.contains(field) ? body[field].get<std::string>() : std::string();
}

HttpResponse explain(RouteCall& call) {
  const json& body = call.body;
  ExplainRequest asked{
      .input = {body["text"].get<std::string>(), text_or_nothing(body, "second")},
      .call = {.target = {text_or_nothing(body, "aspect"), text_or_nothing(body, "target")},
               .methods = texts_of(body, "method"),
               .most_words = kMostWords},
      .trace = trace_of(body)};
  const ModelPointer model = call.api.model_for(
      call, pipeline::kind_names([](const pipeline::ModelKind&) { return true; }));
  const std::vector<std::string> texts = {asked.input.text, asked.input.second};
  const std::int64_t cost = call.api.checked_cost(
      *model, std::span(texts).first(asked.input.second.empty() ? 1 : 2), "/text");
  JobSetting setting = call.api.setting_of(call, model.get(), cost);
  setting.key += Api::alone();
  return call.api.done(std::make_shared<ExplainJob>(std::move(setting), model, std::move(asked)),
                       call);
}

Route explain_route(const Limits& limits) {
  return {.method = "POST",
          .path = "/v1/explain",
          .name = "explain",
          .summary = "Say how much each word speaks for what a model says",
          .fields = explain_fields(limits),
          .answer = explain_schema(),
          .call = explain};
}

const ListedRoute kListed(explain_route);

}  // namespace
}  // namespace heed::server
