// SPDX-License-Identifier: Apache-2.0
// POST /v1/score: how likely a model finds texts, or pairs of them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "heed/pipeline/model.h"
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

struct ScoreRequest {
  std::vector<pipeline::Input> inputs{};
  TraceRequest trace{};
};

class ScoreJob final : public ModelJob {
 public:
  ScoreJob(JobSetting setting, ModelPointer model, ScoreRequest request)
      : ModelJob(std::move(setting), std::move(model)), request_(std::move(request)) {}
  void run(std::span<const Pointer> batch) override;
  ordered_json answer() const override;

 private:
  ScoreRequest request_;
  std::vector<pipeline::InputScore> found_{};
};

void ScoreJob::run(std::span<const Pointer> batch) {
  std::vector<pipeline::Input> inputs;
  for (const ScoreJob* job : all_of<ScoreJob>(batch)) {
    inputs.insert(inputs.end(), job->request_.inputs.begin(), job->request_.inputs.end());
  }
  std::vector<pipeline::InputScore> all =
      served().model->score_inputs(inputs, {.batch = kWholeBatch, .trace = request_.trace.wanted});
  std::size_t next = 0;
  for (ScoreJob* job : all_of<ScoreJob>(batch)) {
    for (std::size_t i = 0; i < job->request_.inputs.size(); ++i) {
      pipeline::InputScore& one = all[next++];
      one.trace = chosen_heads(std::move(one.trace), job->request_.trace);
      job->found_.push_back(std::move(one));
    }
  }
}

ordered_json ScoreJob::answer() const {
  ordered_json results = ordered_json::array();
  for (const pipeline::InputScore& one : found_) {
    const auto tokens = static_cast<double>(std::max<std::size_t>(one.pieces.size(), 1));
    ordered_json mine = {{"log_probability", finite(one.log_probability)},
                         {"perplexity", finite(std::exp(-one.log_probability / tokens))},
                         {"pieces", one.pieces},
                         {"token_log_probabilities", finite_list(one.token_log_probabilities)}};
    if (request_.trace.wanted) {
      mine["trace"] = trace_json(one.trace, served().name, served().task());
    }
    results.push_back(std::move(mine));
  }
  return {{"model", served().name}, {"results", std::move(results)}};
}

std::vector<Field> score_fields(const Limits& limits) {
  std::vector<Field> fields = {
      model_field(),
      text_field(limits),
      {.name = "target",
       .kind = FieldKind::texts,
       .help = "for translators: the translation of each text; language models take none"}};
  add_trace_fields(fields);
  return fields;
}

json score_schema() {
  return results_of(object_of({{"log_probability", number_schema()},
                               {"perplexity", number_schema()},
                               {"pieces", list_of(text_schema())},
                               {"token_log_probabilities", list_of(number_schema())},
                               {"trace?", trace_schema()}}));
}

bool scores(const pipeline::ModelKind& kind) {
  return kind.scores != pipeline::Scored::nothing;
}

HttpResponse score(RouteCall& call) {
  const json& body = call.body;
  const std::vector<std::string> texts = texts_of(body, "text");
  const std::vector<std::string> targets = texts_beside(body, "target");
  TraceRequest trace = trace_of(body);
  const ModelPointer model = call.api.model_for(call, pipeline::kind_names(scores));
  const pipeline::ModelKind& kind = model->model->kind();
  const bool pairs = kind.scores == pipeline::Scored::pairs;
  if (pairs != body.contains("target")) {
    refuse_field(
        "target",
        fmt::format(fmt::runtime(pairs ? "a {} scores pairs; give the translation as \"target\""
                                       : "a {} scores texts; leave \"target\" out"),
                    kind.noun));
  }
  const std::int64_t cost = call.api.checked_cost(*model, texts, "/text") +
                            call.api.checked_cost(*model, targets, "/target");
  JobSetting setting = call.api.setting_of(call, model.get(), cost);
  if (model->model->reads_documents()) setting.key += Api::alone();
  ScoreRequest asked{.inputs = {}, .trace = std::move(trace)};
  for (std::size_t i = 0; i < texts.size(); ++i) {
    asked.inputs.push_back({texts[i], targets.empty() ? "" : targets[i]});
  }
  return call.api.done(std::make_shared<ScoreJob>(std::move(setting), model, std::move(asked)),
                       call);
}

Route score_route(const Limits& limits) {
  return {.method = "POST",
          .path = "/v1/score",
          .name = "score",
          .summary = "Say how likely a model finds translations or texts",
          .fields = score_fields(limits),
          .answer = score_schema(),
          .call = score};
}

const ListedRoute kListed(score_route);

}  // namespace
}  // namespace heed::server
