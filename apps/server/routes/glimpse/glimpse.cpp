// SPDX-License-Identifier: Apache-2.0
// POST /v1/glimpse: an image in base64 in, what it shows and every place that was looked at out.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "heed/base/error.h"
#include "heed/pipeline/glimpse/glimpse_reader.h"
#include "server/api/answer_trace.h"
#include "server/api/api.h"
#include "server/api/common_fields.h"
#include "server/api/schemas.h"
#include "server/engine/model_job.h"

namespace heed::server {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

struct GlimpseRequest {
  images::Image image{};
  pipeline::GlimpseEpisodes episode{};
  TraceRequest trace{};
};

class GlimpseJob final : public ModelJob {
 public:
  GlimpseJob(JobSetting setting, ModelPointer model, GlimpseRequest request)
      : ModelJob(std::move(setting), std::move(model)), request_(std::move(request)) {}
  void run(std::span<const Pointer> batch) override;
  ordered_json answer() const override;

 private:
  GlimpseRequest request_;
  pipeline::GlimpsePath path_{};
  insight::TracedExample traced_{};
};

void GlimpseJob::run(std::span<const Pointer> batch) {
  const auto& reader = as<pipeline::GlimpseReader>();
  for (GlimpseJob* job : all_of<GlimpseJob>(batch)) {
    job->path_ = reader.look(job->request_.image, job->request_.episode);
    if (job->request_.trace.wanted) job->traced_ = reader.traced(job->path_);
  }
}

ordered_json box_json(const images::Box& box) {
  return ordered_json::array({box.left, box.top, box.right, box.bottom});
}

// What the network would answer after a glimpse; behind the classes may be the end.
ordered_json likeliest(const pipeline::GlimpsePath::Step& step, const pipeline::GlimpseReader& by) {
  const auto best = std::ranges::max_element(step.chances) - step.chances.begin();
  const std::vector<std::string>& names = by.learnt().names;
  return {{"class", best < std::ssize(names) ? names[static_cast<std::size_t>(best)] : "end"},
          {"probability", step.chances[static_cast<std::size_t>(best)]}};
}

ordered_json GlimpseJob::answer() const {
  const auto& reader = as<pipeline::GlimpseReader>();
  ordered_json classes = ordered_json::array();
  for (const int one : path_.classes) {
    classes.push_back(reader.learnt().names[static_cast<std::size_t>(one)]);
  }
  ordered_json glimpses = ordered_json::array();
  for (const pipeline::GlimpsePath::Step& step : path_.steps) {
    ordered_json boxes = ordered_json::array();
    for (const images::Box& box : step.boxes) boxes.push_back(box_json(box));
    ordered_json one = likeliest(step, reader);
    one["place"] = {step.x, step.y};
    one["boxes"] = std::move(boxes);
    glimpses.push_back(std::move(one));
  }
  ordered_json answer = {{"model", served().name},
                         {"classes", std::move(classes)},
                         {"probability", path_.probability},
                         {"glimpses", std::move(glimpses)}};
  if (request_.trace.wanted) {
    answer["trace"] =
        trace_json(chosen_heads(traced_, request_.trace), served().name, served().task());
  }
  return answer;
}

std::vector<Field> glimpse_fields(const Limits&) {
  std::vector<Field> fields = {
      model_field(),
      {.name = "image",
       .help = "an image, PNG, JPEG or PPM in base64; what a browser makes of a file "
               "(data:image/png;base64,...) as well",
       .required = true,
       .example = "UDUgNCA0IDI1NQoAAAAAAAAAAAAAAAAAAAAA"},
      {.name = "sample",
       .kind = FieldKind::flag,
       .help = "whether places are drawn around the policy's means; otherwise they are the means",
       .otherwise = false},
      {.name = "seed",
       .kind = FieldKind::whole,
       .help = "of the first place, which is left to chance, and of draws",
       .otherwise = 1,
       .least = 0,
       .most = 4294967295}};
  add_trace_fields(fields);
  return fields;
}

json glimpse_schema() {
  return object_of(
      {{"model", text_schema()},
       {"classes", list_of(text_schema())},
       {"probability", number_schema()},
       {"glimpses", list_of(object_of({{"class", text_schema()},
                                       {"probability", number_schema()},
                                       {"place", list_of(number_schema())},
                                       {"boxes", list_of(list_of(number_schema()))}}))},
       {"trace?", trace_schema()}});
}

HttpResponse glimpse(RouteCall& call) {
  const ModelPointer model = call.api.model_for(call, {"glimpse"});
  const auto& reader = dynamic_cast<const pipeline::GlimpseReader&>(*model->model);
  GlimpseRequest asked{.trace = trace_of(call.body)};
  try {
    asked.image = reader.parsed(call.body["image"].get<std::string>());
  } catch (const Error& error) {
    refuse_field("image", error.what());
  }
  asked.episode.draw = call.body["sample"].get<bool>();
  asked.episode.seed = call.body["seed"].get<std::uint64_t>();
  const std::int64_t cost = reader.network().options().steps();
  return call.api.done(std::make_shared<GlimpseJob>(call.api.setting_of(call, model.get(), cost),
                                                    model, std::move(asked)),
                       call);
}

Route glimpse_route(const Limits& limits) {
  return {.method = "POST",
          .path = "/v1/glimpse",
          .name = "glimpse",
          .summary = "Tell what an image shows, and the path of glimpses over it",
          .fields = glimpse_fields(limits),
          .answer = glimpse_schema(),
          .call = glimpse};
}

const ListedRoute kListed(glimpse_route);

}  // namespace
}  // namespace heed::server
