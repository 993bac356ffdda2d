// SPDX-License-Identifier: Apache-2.0
// POST /v1/classify: texts in, labels with their probabilities and what decided out.
#include <algorithm>
#include <memory>

#include "heed/pipeline/classify/classifier.h"
#include "server/api/answer_trace.h"
#include "server/api/api.h"
#include "server/api/common_fields.h"
#include "server/api/option_fields.h"
#include "server/api/schemas.h"
#include "server/engine/model_job.h"

namespace heed::server {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

struct ClassifyRequest {
  std::vector<text::LabelledText> texts{};
  pipeline::ClassifyCall call{};
  TraceRequest trace{};
};

class ClassifyJob final : public ModelJob {
 public:
  ClassifyJob(JobSetting setting, ModelPointer model, ClassifyRequest request)
      : ModelJob(std::move(setting), std::move(model)), request_(std::move(request)) {}
  void run(std::span<const Pointer> batch) override;
  ordered_json answer() const override;

 private:
  ClassifyRequest request_;
  std::vector<pipeline::Classification> found_{};
};

void ClassifyJob::run(std::span<const Pointer> batch) {
  std::vector<text::LabelledText> texts;
  for (const ClassifyJob* job : all_of<ClassifyJob>(batch)) {
    texts.insert(texts.end(), job->request_.texts.begin(), job->request_.texts.end());
  }
  pipeline::ClassifyCall call = request_.call;
  call.attention = call.trace = request_.trace.wanted;
  call.batch = kWholeBatch;
  std::vector<pipeline::Classification> all = as<pipeline::Classifier>().classify(texts, call);
  std::size_t next = 0;
  for (ClassifyJob* job : all_of<ClassifyJob>(batch)) {
    for (std::size_t i = 0; i < job->request_.texts.size(); ++i) {
      pipeline::Classification& one = all[next++];
      one.trace = chosen_heads(std::move(one.trace), job->request_.trace);
      job->found_.push_back(std::move(one));
    }
  }
}

ordered_json ClassifyJob::answer() const {
  ordered_json results = ordered_json::array();
  for (std::size_t i = 0; i < found_.size(); ++i) {
    ordered_json aspects = ordered_json::array();
    for (std::size_t a = 0; a < found_[i].aspects.size(); ++a) {
      const pipeline::Prediction& prediction = found_[i].aspects[a];
      const text::Aspect& aspect = as<pipeline::Classifier>().labels().aspects()[a];
      ordered_json probabilities = ordered_json::object();
      for (std::size_t c = 0; c < aspect.classes.size(); ++c) {
        probabilities[aspect.classes[c]] = prediction.probabilities[c];
      }
      ordered_json mine = {{"aspect", prediction.aspect},
                           {"label", prediction.label},
                           {"probability", prediction.probability},
                           {"probabilities", std::move(probabilities)}};
      if (request_.call.threshold > 0 || request_.call.unknown) {
        mine["unknown"] = prediction.unknown;
      }
      if (request_.trace.wanted) mine["attention"] = prediction.attention;
      aspects.push_back(std::move(mine));
    }
    ordered_json mine = {{"words", found_[i].words}, {"aspects", std::move(aspects)}};
    if (request_.trace.wanted) {
      mine["trace"] = trace_json(found_[i].trace, served().name, served().task());
    }
    results.push_back(std::move(mine));
  }
  return {{"model", served().name}, {"results", std::move(results)}};
}

std::vector<Field> classify_fields(const Limits& limits) {
  std::vector<Field> fields = {model_field(),
                               text_field(limits),
                               {.name = "second",
                                .kind = FieldKind::texts,
                                .help = "for models that compare two: the second of each text"}};
  pipeline::ClassifyCall call;
  Options list;
  call.declare_threshold(list);
  for (const char* name : {"unknown", "threshold"}) fields.push_back(field_of(list, name));
  add_trace_fields(fields);
  return fields;
}

json classify_schema() {
  const json aspect =
      object_of({{"aspect", text_schema()},
                 {"label", text_schema()},
                 {"probability", number_schema()},
                 {"probabilities", {{"type", "object"}, {"additionalProperties", number_schema()}}},
                 {"unknown?", flag_schema()},
                 {"attention?", list_of(number_schema())}});
  return results_of(object_of({{"words", list_of(text_schema())},
                               {"aspects", list_of(aspect)},
                               {"trace?", trace_schema()}}));
}

HttpResponse classify(RouteCall& call) {
  const json& body = call.body;
  const std::vector<std::string> texts = texts_of(body, "text");
  const std::vector<std::string> second = texts_beside(body, "second");
  TraceRequest trace = trace_of(body);
  const ModelPointer model = call.api.model_for(call, {"classify"});
  if (model->model->takes_second() != body.contains("second")) {
    refuse_field("second", body.contains("second")
                               ? "the model reads one text; leave \"second\" out"
                               : "the model compares two texts; give the other as \"second\"");
  }
  if (std::ranges::count(second, "") > 0) refuse_field("second", "a second text is empty");
  const std::int64_t cost = call.api.checked_cost(*model, texts, "/text") +
                            call.api.checked_cost(*model, second, "/second");
  ClassifyRequest asked{.texts = {}, .call = {}, .trace = std::move(trace)};
  Options list;
  asked.call.declare_threshold(list);
  set_from(body, list);
  const auto& classifier = dynamic_cast<const pipeline::Classifier&>(*model->model);
  if (asked.call.unknown && asked.call.threshold == 0 && !classifier.keeps_thresholds()) {
    refuse_field("unknown", "the model's folder keeps no threshold; give one as \"threshold\"");
  }
  for (std::size_t i = 0; i < texts.size(); ++i) {
    asked.texts.push_back({.text = texts[i], .second = second.empty() ? "" : second[i]});
  }
  return call.api.done(std::make_shared<ClassifyJob>(call.api.setting_of(call, model.get(), cost),
                                                     model, std::move(asked)),
                       call);
}

Route classify_route(const Limits& limits) {
  return {.method = "POST",
          .path = "/v1/classify",
          .name = "classify",
          .summary = "Judge texts",
          .fields = classify_fields(limits),
          .answer = classify_schema(),
          .call = classify};
}

const ListedRoute kListed(classify_route);

}  // namespace
}  // namespace heed::server
