// SPDX-License-Identifier: Apache-2.0
// POST /v1/translate: texts in, translations and where the model looked out.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "heed/pipeline/translate/translation_search.h"
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

struct TranslateRequest {
  std::vector<std::string> texts{};
  pipeline::TranslateOptions options{};
  TraceRequest trace{};
};

TranslateRequest translate_request_of(const json& body) {
  pipeline::TranslationSearch search;
  Options list;
  search.declare(list);
  set_from(body, list);
  if (search.beam.n_best > search.beam.width && !search.sample) {
    refuse_field("n_best", fmt::format("\"n_best\" is {}: a beam of {} has no more; widen it with "
                                       "\"beam\"",
                                       search.beam.n_best, search.beam.width));
  }
  if (!search.sample) {
    refuse_drawing(body, "belongs to drawing; ask for it with \"sample\": true");
  }
  // Before the request is made: g++ 12 destroys members twice when a later initialiser throws.
  TraceRequest trace = trace_of(body);
  TranslateRequest request{.texts = texts_of(body, "text"), .trace = std::move(trace)};
  request.options = search.options();
  request.options.attention = request.options.trace = request.trace.wanted;
  return request;
}

class TranslateJob final : public ModelJob {
 public:
  TranslateJob(JobSetting setting, ModelPointer model, TranslateRequest request)
      : ModelJob(std::move(setting), std::move(model)), request_(std::move(request)) {}
  void run(std::span<const Pointer> batch) override;
  ordered_json answer() const override;

 private:
  TranslateRequest request_;
  std::vector<pipeline::Translations> found_{};  // of each text, best first
};

void TranslateJob::run(std::span<const Pointer> batch) {
  std::vector<std::string> lines;
  for (const TranslateJob* job : all_of<TranslateJob>(batch)) {
    lines.insert(lines.end(), job->request_.texts.begin(), job->request_.texts.end());
  }
  pipeline::TranslateOptions options = request_.options;
  options.batch = kWholeBatch;
  std::vector<pipeline::Translations> all = as<pipeline::Translator>().translate(lines, options);
  std::size_t next = 0;
  for (TranslateJob* job : all_of<TranslateJob>(batch)) {
    for (std::size_t i = 0; i < job->request_.texts.size(); ++i) {
      for (pipeline::Translation& one : all[next]) {
        one.trace = chosen_heads(std::move(one.trace), job->request_.trace);
        one.attentions.clear();
      }
      job->found_.push_back(std::move(all[next++]));
    }
  }
}

ordered_json TranslateJob::answer() const {
  ordered_json results = ordered_json::array();
  for (const pipeline::Translations& text : found_) {
    ordered_json translations = ordered_json::array();
    for (const pipeline::Translation& found : text) {
      ordered_json mine = {{"text", found.text},
                           {"score", finite(found.score)},
                           {"log_probability", finite(found.log_probability)},
                           {"finished", found.finished},
                           {"pieces", found.pieces},
                           {"token_log_probabilities", finite_list(found.token_log_probabilities)}};
      if (request_.trace.wanted) {
        mine["alignment"] = text::to_pharaoh(found.alignment);
        mine["trace"] = trace_json(found.trace, served().name, served().task());
      }
      translations.push_back(std::move(mine));
    }
    results.push_back({{"translations", std::move(translations)}});
  }
  return {{"model", served().name}, {"results", std::move(results)}};
}

std::vector<Field> translate_fields(const Limits& limits) {
  pipeline::TranslationSearch search;
  Options list;
  search.declare(list);
  std::vector<Field> fields = {model_field(), text_field(limits)};
  // How wide a search may be, the server says.
  for (const char* name : {"beam", "n-best"}) {
    Field& field = fields.emplace_back(field_of(list, name));
    field.most = std::min(*field.most, static_cast<double>(limits.beam));
    field.otherwise = std::min(field.otherwise.get<std::int64_t>(), limits.beam);
    field.example = name == std::string("beam") ? json(4) : json();
  }
  for (const char* name : {"length-penalty", "length-alpha", "sample"}) {
    fields.push_back(field_of(list, name));
  }
  add_drawing_fields(list, fields);
  add_trace_fields(fields);
  return fields;
}

json translate_schema() {
  const json translation = object_of({{"text", text_schema()},
                                      {"score", number_schema()},
                                      {"log_probability", number_schema()},
                                      {"finished", flag_schema()},
                                      {"pieces", list_of(text_schema())},
                                      {"token_log_probabilities", list_of(number_schema())},
                                      {"alignment?", text_schema()},
                                      {"trace?", trace_schema()}});
  return results_of(object_of({{"translations", list_of(translation)}}));
}

HttpResponse translate(RouteCall& call) {
  TranslateRequest asked = translate_request_of(call.body);
  const ModelPointer model = call.api.model_for(call, {"translate"});
  const bool sample = asked.options.search == pipeline::SearchKind::sample;
  const int rows = sample ? asked.options.sampling.samples : asked.options.beam.width;
  const std::int64_t cost = call.api.checked_cost(*model, asked.texts, "/text", rows);
  JobSetting setting = call.api.setting_of(call, model.get(), cost);
  // What is drawn is told apart by the place in its batch, and a document by its neighbours.
  if (sample || model->model->reads_documents()) setting.key += Api::alone();
  return call.api.done(std::make_shared<TranslateJob>(std::move(setting), model, std::move(asked)),
                       call);
}

Route translate_route(const Limits& limits) {
  return {.method = "POST",
          .path = "/v1/translate",
          .name = "translate",
          .summary = "Translate texts, and say where the model looked",
          .fields = translate_fields(limits),
          .answer = translate_schema(),
          .call = translate};
}

const ListedRoute kListed(translate_route);

}  // namespace
}  // namespace heed::server
