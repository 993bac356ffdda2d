// SPDX-License-Identifier: Apache-2.0
// Points become tensors, and hypotheses routes with their weights.
#include "heed/pipeline/pointer/point_solver.h"

#include <fmt/format.h>

#include <algorithm>

#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/decoding/point_stepper.h"
#include "heed/pipeline/model_folder.h"
#include "heed/pipeline/tracing.h"

namespace heed::pipeline {
namespace {

std::vector<std::string> point_labels(std::size_t points) {
  std::vector<std::string> labels;
  for (std::size_t i = 0; i < points; ++i) labels.push_back(fmt::format("{}", i + 1));
  return labels;
}

}  // namespace

std::string route_text(std::span<const int> route) {
  std::vector<std::string> words;
  for (const int point : route) words.push_back(fmt::format("{}", point + 1));
  return join(words, " ");
}

corpora::Points in_unit_square(const corpora::Points& points) {
  corpora::Point low = points.front(), high = points.front();
  for (const corpora::Point& point : points) {
    low = {std::min(low.x, point.x), std::min(low.y, point.y)};
    high = {std::max(high.x, point.x), std::max(high.y, point.y)};
  }
  if (low.x >= 0 && low.y >= 0 && high.x <= 1 && high.y <= 1) return points;
  const double extent = std::max(high.x - low.x, high.y - low.y);
  corpora::Points moved;
  for (const corpora::Point& point : points) {
    moved.push_back({(point.x - low.x) / extent, (point.y - low.y) / extent});
  }
  return moved;
}

PointSolver::PointSolver(const std::filesystem::path& path) {
  const ModelFolder folder{path};
  folder.check("pointer");
  folder.read_config(options_.list);
  form_ = PointForm::read(folder.file(kPointFormFile));
  Random random(0);
  model_ = folder.made([&]() -> std::shared_ptr<models::PointModel> {
    return models::make_point_model(options_.model_for(form_), random);
  });
  nn::Parameters parameters = nn::parameters(*model_);
  folder.load_weights(parameters);
}

corpora::Points PointSolver::checked(const corpora::Points& points) const {
  if (const std::string problem = corpora::problem_of(form_.task, points); !problem.empty()) {
    throw UsageError("{}", problem);
  }
  return in_unit_square(points);
}

FoundRoute PointSolver::point(const corpora::Points& points, const PointSearch& search) const {
  return point(std::span(&points, 1), search).front();
}

std::vector<FoundRoute> PointSolver::point(std::span<const corpora::Points> sets,
                                           const PointSearch& search) const {
  std::vector<corpora::Points> inside;
  for (const corpora::Points& points : sets) inside.push_back(checked(points));
  return find_routes(*model_, inside, search);
}

TracedRoute PointSolver::trace(const corpora::Points& points, const PointSearch& search) const {
  const corpora::Points inside = checked(points);
  const corpora::Points* const one[] = {&inside};
  attention::Trace reading;
  decoding::PointStepper stepper(*model_, point_tensor(one, model_->features()), &reading);
  const decoding::Hypothesis best =
      std::move(decoding::beam_search(
                    stepper, {.width = search.beam,
                              .length = decoding::LengthPenalty{decoding::LengthScale::none, 0},
                              .stopping = decoding::Stopping::exact,
                              .constraints = decoding::point_constraints(std::ssize(points)),
                              .attentions = true})
                    .front()
                    .front());
  TracedRoute traced{.found = {decoding::route_of(best), best.log_probability}};
  insight::TracedExample& example = traced.example;
  std::vector<std::string> output;
  for (const int point : traced.found.route) output.push_back(fmt::format("{}", point + 1));
  example.title = join(output, " ");
  if (best.finished) output.emplace_back("end");
  std::vector<std::string> choices = point_labels(points.size());
  example.strips.push_back({.name = "points", .tokens = choices});
  choices.insert(choices.begin(), "end");
  example.strips.push_back({.name = "choices", .tokens = std::move(choices)});
  example.strips.push_back({.name = "output", .tokens = std::move(output)});
  if (options_.model.reading == models::PointReading::set) {
    example.strips.push_back(
        {.name = "steps",
         .tokens = point_labels(static_cast<std::size_t>(options_.model.process))});
  }
  add_attentions(example, best.attentions);
  add_attentions(example, decoding::paths_of(reading, 0));
  for (const decoding::AttentionPath& path : best.attentions) {
    if (path.site.role == attention::Role::pointing) traced.weights = path.weights.select(0, 0);
  }
  return traced;
}

}  // namespace heed::pipeline
