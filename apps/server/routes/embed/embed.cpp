// SPDX-License-Identifier: Apache-2.0
// POST /v1/embed: texts in, a vector of each out, and with second texts how alike both are.
#include <memory>

#include "heed/pipeline/embed/text_embedder.h"
#include "server/api/answer_trace.h"
#include "server/api/api.h"
#include "server/api/common_fields.h"
#include "server/api/schemas.h"
#include "server/engine/model_job.h"

namespace heed::server {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

struct EmbedRequest {
  std::vector<std::string> texts{};
  std::vector<std::string> second{};
  TraceRequest trace{};
};

class EmbedJob final : public ModelJob {
 public:
  EmbedJob(JobSetting setting, ModelPointer model, EmbedRequest request)
      : ModelJob(std::move(setting), std::move(model)), request_(std::move(request)) {}
  void run(std::span<const Pointer> batch) override;
  ordered_json answer() const override;

 private:
  std::span<const Real> vector(std::size_t text) const {
    const auto width = static_cast<std::size_t>(found_.vectors.size(1));
    return {found_.vectors.data() + text * width, width};
  }

  EmbedRequest request_;
  pipeline::Embedded found_{};  // of the texts, then of the second ones
};

void EmbedJob::run(std::span<const Pointer> batch) {
  const auto& embedder = as<pipeline::TextEmbedder>();
  for (EmbedJob* job : all_of<EmbedJob>(batch)) {
    std::vector<std::string> texts = job->request_.texts;
    texts.insert(texts.end(), job->request_.second.begin(), job->request_.second.end());
    job->found_ =
        embedder.embed(texts, {.batch = kWholeBatch, .trace = job->request_.trace.wanted});
    for (insight::TracedExample& one : job->found_.traces) {
      one = chosen_heads(std::move(one), job->request_.trace);
    }
  }
}

ordered_json EmbedJob::answer() const {
  ordered_json results = ordered_json::array();
  const std::size_t count = request_.texts.size();
  for (std::size_t i = 0; i < count; ++i) {
    const std::span<const Real> mine = vector(i);
    ordered_json result = {{"vector", std::vector<Real>(mine.begin(), mine.end())}};
    if (!request_.second.empty()) {
      result["cosine"] = pipeline::cosine_of(mine, vector(count + i));
    }
    if (request_.trace.wanted) {
      result["trace"] = trace_json(found_.traces[i], served().name, served().task());
    }
    results.push_back(std::move(result));
  }
  return {{"model", served().name}, {"results", std::move(results)}};
}

std::vector<Field> embed_fields(const Limits& limits) {
  std::vector<Field> fields = {model_field(),
                               text_field(limits),
                               {.name = "second",
                                .kind = FieldKind::texts,
                                .help = "a text for each, with which it is compared"}};
  add_trace_fields(fields);
  return fields;
}

json embed_schema() {
  return results_of(object_of({{"vector", list_of(number_schema())},
                               {"cosine?", number_schema()},
                               {"trace?", trace_schema()}}));
}

HttpResponse embed(RouteCall& call) {
  const json& body = call.body;
  EmbedRequest asked{.texts = texts_of(body, "text"),
                     .second = texts_beside(body, "second"),
                     .trace = trace_of(body)};
  const ModelPointer model = call.api.model_for(call, {"embed"});
  const std::int64_t cost = call.api.checked_cost(*model, asked.texts, "/text") +
                            call.api.checked_cost(*model, asked.second, "/second");
  return call.api.done(std::make_shared<EmbedJob>(call.api.setting_of(call, model.get(), cost),
                                                  model, std::move(asked)),
                       call);
}

Route embed_route(const Limits& limits) {
  return {.method = "POST",
          .path = "/v1/embed",
          .name = "embed",
          .summary = "Turn texts into vectors",
          .fields = embed_fields(limits),
          .answer = embed_schema(),
          .call = embed};
}

const ListedRoute kListed(embed_route);

}  // namespace
}  // namespace heed::server
