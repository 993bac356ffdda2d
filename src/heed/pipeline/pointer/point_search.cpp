// SPDX-License-Identifier: Apache-2.0
// Sets by size, hypotheses to routes.
#include "heed/pipeline/pointer/point_search.h"

#include <algorithm>
#include <map>

#include "heed/decoding/point_stepper.h"

namespace heed::pipeline {
namespace {

constexpr std::size_t kMostTogether = 512;

decoding::Hypothesis best_of(std::vector<decoding::Hypothesis>& all) {
  return std::move(all.front());
}

}  // namespace

void PointSearch::declare(Options& options) {
  options.add("beam", beam, "outputs that are followed side by side; 1: the likeliest choice")
      .range(1, 1000);
}

Tensor point_tensor(std::span<const corpora::Points* const> sets, std::int64_t features) {
  const auto batch = static_cast<std::int64_t>(sets.size());
  Tensor all({batch, static_cast<std::int64_t>(sets.front()->size()), features});
  Real* next = all.mutable_data();
  for (const corpora::Points* points : sets) {
    for (const corpora::Point& point : *points) {
      *next++ = static_cast<Real>(point.x);
      if (features == 2) *next++ = static_cast<Real>(point.y);
    }
  }
  return all;
}

std::vector<FoundRoute> find_routes(const models::PointModel& model,
                                    std::span<const corpora::Points> sets,
                                    const PointSearch& search) {
  std::map<std::size_t, std::vector<std::size_t>> by_size;
  for (std::size_t i = 0; i < sets.size(); ++i) by_size[sets[i].size()].push_back(i);
  std::vector<FoundRoute> found(sets.size());
  for (const auto& [size, places] : by_size) {
    for (std::size_t begin = 0; begin < places.size(); begin += kMostTogether) {
      const std::size_t end = std::min(places.size(), begin + kMostTogether);
      std::vector<const corpora::Points*> some;
      for (std::size_t i = begin; i < end; ++i) some.push_back(&sets[places[i]]);
      decoding::PointStepper stepper(model, point_tensor(some, model.features()));
      const decoding::Constraints bounds =
          decoding::point_constraints(static_cast<std::int64_t>(size));
      std::vector<decoding::Hypothesis> best;
      if (search.beam == 1) {
        best = decoding::greedy(stepper, {.constraints = bounds});
      } else {
        const decoding::BeamOptions options{
            .width = search.beam,
            .length = decoding::LengthPenalty{decoding::LengthScale::none, 0},
            .stopping = decoding::Stopping::exact,
            .constraints = bounds};
        for (auto& all : decoding::beam_search(stepper, options)) best.push_back(best_of(all));
      }
      for (std::size_t i = begin; i < end; ++i) {
        found[places[i]] = {decoding::route_of(best[i - begin]), best[i - begin].log_probability};
      }
    }
  }
  return found;
}

}  // namespace heed::pipeline
