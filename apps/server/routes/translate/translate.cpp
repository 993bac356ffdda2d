// SPDX-License-Identifier: Apache-2.0
// POST /v1/translate: texts in, translations and where the model looked out.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "heed/pipeline/translate/translator.h"
#include "server/api/answer_trace.h"
#include "server/api/api.h"
#include "server/api/common_fields.h"
#include "server/api/schemas.h"
#include "server/engine/model_job.h"

namespace heed::server {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

struct TranslateRequest {
  std::vector<std::string> texts{};
  pipeline::TranslateOptions options{};
  TraceWish trace{};
};

TranslateRequest request_of(const json& body) {
  const auto beam = body["beam"].get<int>();
  const auto n_best = body["n_best"].get<int>();
  const bool sample = body["sample"].get<bool>();
  if (n_best > beam && !sample) {
    refuse_field("n_best", fmt::format("\"n_best\" is {}: a beam of {} has no more; widen it with "
                                       "\"beam\"",
                                       n_best, beam));
  }
  if (!sample) refuse_drawing(body, "belongs to drawing; ask for it with \"sample\": true");
  // Before the request is made: g++ 12 destroys members twice when a later initialiser throws.
  TraceWish trace = trace_of(body);
  TranslateRequest request{.texts = texts_of(body, "text"), .trace = std::move(trace)};
  const std::string penalty = body["length_penalty"].get<std::string>();
  using decoding::LengthScale;
  request.options = {.search = sample ? pipeline::SearchKind::sample : pipeline::SearchKind::beam,
                     .beam = {.width = beam,
                              .n_best = n_best,
                              .length = {penalty == "none" ? LengthScale::none
                                         : penalty == "wu" ? LengthScale::wu
                                                           : LengthScale::power,
                                         body["length_alpha"].get<double>()}},
                     .sampling = {.samples = n_best,
                                  .temperature = body.value("temperature", 1.0),
                                  .top_k = body.value("top_k", 0),
                                  .nucleus = body.value("nucleus", 1.0)},
                     .seed = body.value("seed", std::uint64_t{1}),
                     .attention = request.trace.wanted,
                     .trace = request.trace.wanted};
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
  const auto beam = static_cast<double>(limits.beam);
  std::vector<Field> fields = {
      model_field(),
      text_field(limits),
      {.name = "beam",
       .kind = FieldKind::whole,
       .help = "beam width, the hypotheses kept at a time; 1: greedy",
       .otherwise = std::min<std::int64_t>(5, limits.beam),
       .least = 1,
       .most = beam,
       .example = 4},
      {.name = "n_best",
       .kind = FieldKind::whole,
       .help = "translations of each text, at most as many as the beam has hypotheses",
       .otherwise = 1,
       .least = 1,
       .most = beam},
      {.name = "length_penalty",
       .kind = FieldKind::choice,
       .help = "what the log-probability is divided by: nothing, ((5+n)/6)^alpha, n^alpha",
       .otherwise = "wu",
       .choices = {"none", "wu", "power"}},
      {.name = "length_alpha",
       .kind = FieldKind::number,
       .help = "alpha of the length penalty",
       .otherwise = 0.6,
       .least = 0,
       .most = 10},
      {.name = "sample",
       .kind = FieldKind::flag,
       .help = "draw translations instead of searching for the best",
       .otherwise = false}};
  add_drawing_fields(fields);
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
  TranslateRequest asked = request_of(call.body);
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

Route make(const Limits& limits) {
  return {.method = "POST",
          .path = "/v1/translate",
          .name = "translate",
          .summary = "Translate texts, and say where the model looked",
          .fields = translate_fields(limits),
          .answer = translate_schema(),
          .call = translate};
}

const ListedRoute kListed(make);

}  // namespace
}  // namespace heed::server
