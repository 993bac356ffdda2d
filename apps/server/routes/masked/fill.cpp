// SPDX-License-Identifier: Apache-2.0
// POST /v1/fill: a text with gaps in, likely words for each out.
#include <fmt/format.h>

#include <memory>

#include "heed/pipeline/masked/filler.h"
#include "server/api/answer_trace.h"
#include "server/api/api.h"
#include "server/api/common_fields.h"
#include "server/api/schemas.h"
#include "server/engine/model_job.h"

namespace heed::server {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

struct FillRequest {
  std::string text{};
  pipeline::FillOptions options{};
  TraceRequest trace{};
};

class FillJob final : public ModelJob {
 public:
  FillJob(JobSetting setting, ModelPointer model, FillRequest request)
      : ModelJob(std::move(setting), std::move(model)), request_(std::move(request)) {}
  void run(std::span<const Pointer> batch) override;
  ordered_json answer() const override;

 private:
  FillRequest request_;
  std::vector<std::vector<pipeline::Guess>> found_{};
  insight::TracedExample trace_{};
};

void FillJob::run(std::span<const Pointer> batch) {
  const auto& filler = as<pipeline::Filler>();
  for (FillJob* job : all_of<FillJob>(batch)) {
    job->found_ = filler.fill(job->request_.text, job->request_.options);
    if (job->request_.trace.wanted) {
      job->trace_ = chosen_heads(filler.trace(job->request_.text), job->request_.trace);
    }
  }
}

ordered_json FillJob::answer() const {
  ordered_json gaps = ordered_json::array();
  for (const std::vector<pipeline::Guess>& guesses : found_) {
    ordered_json gap = ordered_json::array();
    for (const pipeline::Guess& guess : guesses) {
      gap.push_back({{"word", guess.word}, {"probability", guess.probability}});
    }
    gaps.push_back(std::move(gap));
  }
  ordered_json answer = {{"model", served().name}, {"gaps", std::move(gaps)}};
  if (request_.trace.wanted) answer["trace"] = trace_json(trace_, served().name, served().task());
  return answer;
}

std::vector<Field> fill_fields(const Limits& limits) {
  std::vector<Field> fields = {model_field(),
                               {.name = "text",
                                .help = fmt::format("a text of at most {} tokens with a [MASK] "
                                                    "for each gap",
                                                    limits.length),
                                .required = true,
                                .example = "the [MASK] sleeps"},
                               {.name = "count",
                                .kind = FieldKind::whole,
                                .help = "words for each gap",
                                .otherwise = 5,
                                .least = 1,
                                .most = 100}};
  add_trace_fields(fields);
  return fields;
}

json fill_schema() {
  const json guess = object_of({{"word", text_schema()}, {"probability", number_schema()}});
  return object_of(
      {{"model", text_schema()}, {"gaps", list_of(list_of(guess))}, {"trace?", trace_schema()}});
}

HttpResponse fill(RouteCall& call) {
  TraceRequest trace = trace_of(call.body);
  FillRequest asked{.text = call.body["text"].get<std::string>(),
                    .options = {.top = call.body["count"].get<std::int64_t>()},
                    .trace = std::move(trace)};
  const ModelPointer model = call.api.model_for(call, {"masked"});
  const std::int64_t cost = call.api.checked_cost(*model, std::span(&asked.text, 1), "/text");
  return call.api.done(std::make_shared<FillJob>(call.api.setting_of(call, model.get(), cost),
                                                 model, std::move(asked)),
                       call);
}

Route fill_route(const Limits& limits) {
  return {.method = "POST",
          .path = "/v1/fill",
          .name = "fill",
          .summary = "Guess the masked words of a text",
          .fields = fill_fields(limits),
          .answer = fill_schema(),
          .call = fill};
}

const ListedRoute kListed(fill_route);

}  // namespace
}  // namespace heed::server
