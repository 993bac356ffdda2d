// SPDX-License-Identifier: Apache-2.0
// POST /v1/caption: a picture in, what is in it and where each word looked out.
#include <fmt/format.h>

#include <memory>

#include "heed/base/base64.h"
#include "heed/base/error.h"
#include "heed/images/image_file.h"
#include "heed/pipeline/caption/caption_writer.h"
#include "server/api/answer_trace.h"
#include "server/api/api.h"
#include "server/api/common_fields.h"
#include "server/api/schemas.h"
#include "server/engine/model_job.h"

namespace heed::server {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

struct CaptionRequest {
  images::Image picture{};
  pipeline::CaptionSearch search{};
  TraceRequest trace{};
};

class CaptionJob final : public ModelJob {
 public:
  CaptionJob(JobSetting setting, ModelPointer model, CaptionRequest request)
      : ModelJob(std::move(setting), std::move(model)), request_(std::move(request)) {}
  void run(std::span<const Pointer> batch) override;
  ordered_json answer() const override;

 private:
  CaptionRequest request_;
  pipeline::LookedCaption found_{};
  insight::TracedExample traced_{};
};

void CaptionJob::run(std::span<const Pointer> batch) {
  const auto& writer = as<pipeline::CaptionWriter>();
  for (CaptionJob* job : all_of<CaptionJob>(batch)) {
    const CaptionRequest& asked = job->request_;
    job->found_ = writer.look(asked.picture, asked.search);
    if (asked.trace.wanted) job->traced_ = writer.traced(asked.picture, job->found_);
  }
}

ordered_json CaptionJob::answer() const {
  ordered_json answer = {{"model", served().name},
                         {"caption", found_.written.caption},
                         {"log_probability", found_.written.log_probability},
                         {"words", found_.words},
                         {"gates", found_.gates}};
  if (request_.trace.wanted) {
    answer["trace"] =
        trace_json(chosen_heads(traced_, request_.trace), served().name, served().task());
  }
  return answer;
}

std::vector<Field> caption_fields(const Limits&) {
  std::vector<Field> fields = {model_field(),
                               {.name = "image",
                                .help = "the bytes of a PNG, JPEG, PGM or PPM file, in base64",
                                .required = true,
                                .example = "UDUgNCA0IDI1NQoAAAAAAAAAAAAAAAAAAAAA"},
                               {.name = "beam",
                                .kind = FieldKind::whole,
                                .help = "captions that are followed side by side",
                                .otherwise = 1,
                                .least = 1,
                                .most = 32}};
  add_trace_fields(fields);
  return fields;
}

json caption_schema() {
  return object_of({{"model", text_schema()},
                    {"caption", text_schema()},
                    {"log_probability", number_schema()},
                    {"words", list_of(text_schema())},
                    {"gates", list_of(number_schema())},
                    {"trace?", trace_schema()}});
}

images::Image picture_field(const json& body, const pipeline::LearntPictures& form) {
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

HttpResponse caption(RouteCall& call) {
  const ModelPointer model = call.api.model_for(call, {"caption"});
  const auto& writer = dynamic_cast<const pipeline::CaptionWriter&>(*model->model);
  CaptionRequest asked{.picture = picture_field(call.body, writer.form()),
                       .search = {.beam = static_cast<int>(call.body["beam"].get<std::int64_t>())},
                       .trace = trace_of(call.body)};
  const std::int64_t cost = writer.grid().cells() * asked.search.beam;
  return call.api.done(std::make_shared<CaptionJob>(call.api.setting_of(call, model.get(), cost),
                                                    model, std::move(asked)),
                       call);
}

Route caption_route(const Limits& limits) {
  return {.method = "POST",
          .path = "/v1/caption",
          .name = "caption",
          .summary = "Say what is in a picture",
          .fields = caption_fields(limits),
          .answer = caption_schema(),
          .call = caption};
}

const ListedRoute kListed(caption_route);

}  // namespace
}  // namespace heed::server
