// SPDX-License-Identifier: Apache-2.0
// POST /v1/look: images in base64 in, what they show and the weights of their cells out.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <numeric>

#include "heed/base/error.h"
#include "heed/images/image_folder.h"
#include "heed/pipeline/look/image_looker.h"
#include "server/api/answer_trace.h"
#include "server/api/api.h"
#include "server/api/common_fields.h"
#include "server/api/schemas.h"
#include "server/engine/model_job.h"

namespace heed::server {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr const char* kImages = "images";

struct LookRequest {
  std::vector<images::Image> images{};
  TraceRequest trace{};
};

class LookJob final : public ModelJob {
 public:
  LookJob(JobSetting setting, ModelPointer model, LookRequest request)
      : ModelJob(std::move(setting), std::move(model)), request_(std::move(request)) {}
  void run(std::span<const Pointer> batch) override;
  ordered_json answer() const override;

 private:
  LookRequest request_;
  std::vector<pipeline::ImageLook> looks_{};
  std::vector<insight::TracedExample> traces_{};
};

void LookJob::run(std::span<const Pointer> batch) {
  const auto& looker = as<pipeline::ImageLooker>();
  for (LookJob* job : all_of<LookJob>(batch)) {
    job->looks_ = looker.look(job->request_.images);
    if (!job->request_.trace.wanted) continue;
    for (const images::Image& image : job->request_.images) {
      job->traces_.push_back(chosen_heads(looker.traced(image), job->request_.trace));
    }
  }
}

ordered_json LookJob::answer() const {
  const auto& looker = as<pipeline::ImageLooker>();
  ordered_json results = ordered_json::array();
  for (std::size_t i = 0; i < looks_.size(); ++i) {
    const pipeline::ImageLook& look = looks_[i];
    std::vector<std::size_t> order(look.chances.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::ranges::greater(),
                             [&](std::size_t c) { return look.chances[c]; });
    ordered_json classes = ordered_json::array();
    for (const std::size_t c : order) {
      classes.push_back({{"class", looker.learnt().names[c]}, {"probability", look.chances[c]}});
    }
    ordered_json mine = {{"class", looker.learnt().names[static_cast<std::size_t>(look.best)]},
                         {"classes", std::move(classes)}};
    if (look.weights.defined()) {
      ordered_json rows = ordered_json::array();
      for (std::int64_t y = 0; y < look.weights.size(0); ++y) {
        const Tensor row = look.weights.select(0, y).packed();
        rows.push_back(std::vector<float>(row.data(), row.data() + row.size()));
      }
      mine["weights"] = std::move(rows);
    }
    if (request_.trace.wanted) {
      mine["trace"] = trace_json(traces_[i], served().name, served().task());
    }
    results.push_back(std::move(mine));
  }
  return {{"model", served().name}, {"results", std::move(results)}};
}

std::vector<Field> look_fields(const Limits&) {
  std::vector<Field> fields = {
      model_field(),
      {.name = kImages,
       .kind = FieldKind::texts,
       .help = "an image, PNG, JPEG or PPM in base64, or several; what a browser makes of a file "
               "(data:image/png;base64,...) as well",
       .required = true,
       .example = json("iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAAAAADhZOFXAAAAE0lE"
                       "QVR42mP4zwCBDAz/0SBJIgB8BB/hHeoAAQAAAABJRU5ErkJggg==")}};
  add_trace_fields(fields);
  return fields;
}

json look_schema() {
  return results_of(object_of({{"class", text_schema()},
                               {"classes", list_of(object_of({{"class", text_schema()},
                                                              {"probability", number_schema()}}))},
                               {"weights?", list_of(list_of(number_schema()))},
                               {"trace?", trace_schema()}}));
}

HttpResponse look(RouteCall& call) {
  LookRequest asked{.trace = trace_of(call.body)};
  const ModelPointer model = call.api.model_for(call, {"look"});
  const auto& looker = dynamic_cast<const pipeline::ImageLooker&>(*model->model);
  const json& given = call.body[kImages];
  std::vector<std::string> texts;
  if (given.is_array()) {
    texts = given.get<std::vector<std::string>>();
  } else {
    texts.push_back(given.get<std::string>());
  }
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const std::string where =
        texts.size() == 1 ? std::string("image") : fmt::format("image {}", i + 1);
    try {
      asked.images.push_back(
          images::in_form(pipeline::image_of_base64(texts[i], where), looker.learnt().form, where));
    } catch (const Error& error) {
      refuse_field(kImages, error.what());
    }
  }
  // An image weighs its cells, whatever the bytes of its file, for which --max-body is there.
  const std::vector<std::string> weighed(texts.size());
  const std::int64_t cost = call.api.checked_cost(*model, weighed, fmt::format("/{}", kImages), 1);
  return call.api.done(std::make_shared<LookJob>(call.api.setting_of(call, model.get(), cost),
                                                 model, std::move(asked)),
                       call);
}

Route look_route(const Limits& limits) {
  return {.method = "POST",
          .path = "/v1/look",
          .name = "look",
          .summary = "Tell what images show, and where the model looks at them",
          .fields = look_fields(limits),
          .answer = look_schema(),
          .call = look};
}

const ListedRoute kListed(look_route);

}  // namespace
}  // namespace heed::server
