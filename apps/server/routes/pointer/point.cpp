// SPDX-License-Identifier: Apache-2.0
// POST /v1/point: points in, the order of those that a pointer network points at out.
#include <fmt/format.h>

#include <memory>

#include "heed/corpora/points/point_files.h"
#include "heed/pipeline/pointer/point_solver.h"
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

constexpr const char* kField = "points";

struct PointRequest {
  std::vector<corpora::Points> sets{};
  pipeline::PointSearch search{};
  TraceRequest trace{};
};

class PointJob final : public ModelJob {
 public:
  PointJob(JobSetting setting, ModelPointer model, PointRequest request)
      : ModelJob(std::move(setting), std::move(model)), request_(std::move(request)) {}
  void run(std::span<const Pointer> batch) override;
  ordered_json answer() const override;

 private:
  PointRequest request_;
  std::vector<pipeline::FoundRoute> found_{};
  std::vector<insight::TracedExample> traces_{};
};

void PointJob::run(std::span<const Pointer> batch) {
  const auto& solver = as<pipeline::PointSolver>();
  for (PointJob* job : all_of<PointJob>(batch)) {
    const PointRequest& asked = job->request_;
    if (!asked.trace.wanted) {
      job->found_ = solver.point(asked.sets, asked.search);
      continue;
    }
    for (const corpora::Points& points : asked.sets) {
      pipeline::TracedRoute traced = solver.trace(points, asked.search);
      job->found_.push_back(std::move(traced.found));
      job->traces_.push_back(chosen_heads(std::move(traced.example), asked.trace));
    }
  }
}

ordered_json PointJob::answer() const {
  ordered_json results = ordered_json::array();
  for (std::size_t i = 0; i < found_.size(); ++i) {
    ordered_json route = ordered_json::array();
    for (const int point : found_[i].route) route.push_back(point + 1);
    ordered_json mine = {{"route", std::move(route)},
                         {"log_probability", found_[i].log_probability}};
    if (request_.trace.wanted) {
      mine["trace"] = trace_json(traces_[i], served().name, served().task());
    }
    results.push_back(std::move(mine));
  }
  return {{"model", served().name}, {"results", std::move(results)}};
}

std::vector<Field> point_fields(const Limits& limits) {
  std::vector<Field> fields = {
      model_field(),
      {.name = kField,
       .kind = FieldKind::numbers,
       .help = fmt::format("a set of fewer than {} points, each a list of its coordinates, or "
                           "several sets of one size",
                           limits.length),
       .required = true,
       .example = json::parse("[[0.1, 0.2], [0.9, 0.3], [0.5, 0.9], [0.5, 0.4], [0.1, 0.8]]")}};
  pipeline::PointSearch search;
  Options list;
  search.declare(list);
  fields.push_back(field_of(list, "beam"));
  add_trace_fields(fields);
  return fields;
}

json point_schema() {
  return results_of(object_of({{"route", list_of(whole_schema())},
                               {"log_probability", number_schema()},
                               {"trace?", trace_schema()}}));
}

// One set [[x, y], ...], or several.
std::vector<corpora::Points> sets_of(const json& body, int features) {
  const json& given = body[kField];
  const bool several = given.front().is_array() && given.front().front().is_array();
  std::vector<corpora::Points> sets;
  const auto add = [&](const json& points) {
    corpora::Points& set = sets.emplace_back();
    for (const json& point : points) {
      if (static_cast<int>(point.size()) != features || !point.front().is_number()) {
        refuse_field(kField, fmt::format("a point has {} coordinates; the model reads {}",
                                         point.size(), features));
      }
      set.push_back({point[0].get<double>(), features == 2 ? point[1].get<double>() : 0});
    }
  };
  if (several) {
    for (const json& points : given) add(points);
  } else {
    add(given);
  }
  return sets;
}

HttpResponse point(RouteCall& call) {
  TraceRequest trace = trace_of(call.body);
  const ModelPointer model = call.api.model_for(call, {"pointer"});
  const auto& solver = dynamic_cast<const pipeline::PointSolver&>(*model->model);
  PointRequest asked{.sets = sets_of(call.body, solver.features()), .trace = std::move(trace)};
  Options list;
  asked.search.declare(list);
  set_from(call.body, list);
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < asked.sets.size(); ++i) {
    const std::string problem = corpora::problem_of(solver.form().task, asked.sets[i]);
    if (!problem.empty()) {
      refuse_field(kField,
                   asked.sets.size() == 1 ? problem : fmt::format("set {}: {}", i + 1, problem));
    }
    texts.push_back(corpora::written_points(asked.sets[i], solver.features()));
  }
  const std::int64_t cost =
      call.api.checked_cost(*model, texts, fmt::format("/{}", kField), asked.search.beam);
  return call.api.done(std::make_shared<PointJob>(call.api.setting_of(call, model.get(), cost),
                                                  model, std::move(asked)),
                       call);
}

Route point_route(const Limits& limits) {
  return {.method = "POST",
          .path = "/v1/point",
          .name = "point",
          .summary = "Point at points: hulls, tours, numbers in order",
          .fields = point_fields(limits),
          .answer = point_schema(),
          .call = point};
}

const ListedRoute kListed(point_route);

}  // namespace
}  // namespace heed::server
