// SPDX-License-Identifier: Apache-2.0
// POST /v1/visual: a picture and a question in, the likeliest answers and each look out.
#include <fmt/format.h>

#include <memory>

#include "heed/base/base64.h"
#include "heed/base/error.h"
#include "heed/images/image_file.h"
#include "heed/pipeline/visual/picture_answers.h"
#include "server/api/answer_trace.h"
#include "server/api/api.h"
#include "server/api/common_fields.h"
#include "server/api/schemas.h"
#include "server/engine/model_job.h"

namespace heed::server {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

struct VisualRequest {
  images::Image picture{};
  std::string question{};
  TraceRequest trace{};
};

class VisualJob final : public ModelJob {
 public:
  VisualJob(JobSetting setting, ModelPointer model, VisualRequest request)
      : ModelJob(std::move(setting), std::move(model)), request_(std::move(request)) {}
  void run(std::span<const Pointer> batch) override;
  ordered_json answer() const override;

 private:
  VisualRequest request_;
  pipeline::LookedAnswer found_{};
  insight::TracedExample traced_{};
};

void VisualJob::run(std::span<const Pointer> batch) {
  const auto& answerer = as<pipeline::PictureAnswerer>();
  for (VisualJob* job : all_of<VisualJob>(batch)) {
    const VisualRequest& asked = job->request_;
    job->found_ = answerer.look(asked.picture, asked.question);
    if (asked.trace.wanted) job->traced_ = answerer.traced(asked.picture, job->found_);
  }
}

ordered_json VisualJob::answer() const {
  ordered_json answers = ordered_json::array();
  for (const pipeline::Answer& one : found_.answers) {
    answers.push_back({{"answer", one.text}, {"probability", one.score}});
  }
  ordered_json answer = {
      {"model", served().name}, {"answers", std::move(answers)}, {"unknown", found_.unknown}};
  if (request_.trace.wanted) {
    answer["trace"] =
        trace_json(chosen_heads(traced_, request_.trace), served().name, served().task());
  }
  return answer;
}

std::vector<Field> visual_fields(const Limits&) {
  std::vector<Field> fields = {model_field(),
                               {.name = "image",
                                .help = "the bytes of a PNG, JPEG, PGM or PPM file, in base64",
                                .required = true,
                                .example = "UDUgNCA0IDI1NQoAAAAAAAAAAAAAAAAAAAAA"},
                               {.name = "question",
                                .help = "what to ask about it",
                                .required = true,
                                .example = "what colour is the cross ?"}};
  add_trace_fields(fields);
  return fields;
}

json visual_schema() {
  const json answer = object_of({{"answer", text_schema()}, {"probability", number_schema()}});
  return object_of({{"model", text_schema()},
                    {"answers", list_of(answer)},
                    {"unknown", list_of(text_schema())},
                    {"trace?", trace_schema()}});
}

images::Image seen_field(const json& body, const pipeline::LearntPictures& form) {
  const std::optional<std::string> bytes = base64_decode(body["image"].get<std::string>());
  if (!bytes) refuse_field("image", "no base64; give the bytes of an image file in it");
  try {
    return pipeline::picture_in_form(images::parse_image({*bytes, "image"}), form, "image");
  } catch (const DataError& error) {
    refuse_field("image", error.what());
  } catch (const UsageError& error) {
    refuse_field("image", error.what());
  }
}

HttpResponse visual(RouteCall& call) {
  const ModelPointer model = call.api.model_for(call, {"visual"});
  const auto& answerer = dynamic_cast<const pipeline::PictureAnswerer&>(*model->model);
  VisualRequest asked{.picture = seen_field(call.body, answerer.form()),
                      .question = call.body["question"].get<std::string>(),
                      .trace = trace_of(call.body)};
  const std::int64_t cost =
      answerer.grid().cells() +
      call.api.checked_cost(*model, std::span(&asked.question, 1), "/question");
  return call.api.done(std::make_shared<VisualJob>(call.api.setting_of(call, model.get(), cost),
                                                   model, std::move(asked)),
                       call);
}

Route visual_route(const Limits& limits) {
  return {.method = "POST",
          .path = "/v1/visual",
          .name = "visual",
          .summary = "Answer a question on a picture",
          .fields = visual_fields(limits),
          .answer = visual_schema(),
          .call = visual};
}

const ListedRoute kListed(visual_route);

}  // namespace
}  // namespace heed::server
