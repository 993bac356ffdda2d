// SPDX-License-Identifier: Apache-2.0
// Sums over sets, divided by what they count.
#include "heed/pipeline/pointer/point_quality.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "heed/base/text.h"
#include "heed/corpora/points/tours.h"

namespace heed::pipeline {
namespace {

using corpora::PointSet;
using corpora::PointTask;
using corpora::Route;

constexpr double kSameLength = 1e-6;
constexpr std::uint64_t kRandomTours = 0x746f757273;

// A mean that may turn out to be of nothing.
struct Mean {
  double sum = 0;
  double count = 0;
  void add(double value) {
    sum += value;
    count += 1;
  }
  std::optional<double> value() const {
    return count > 0 ? std::optional(sum / count) : std::nullopt;
  }
};

bool visits_all(std::size_t points, Route route) {
  std::ranges::sort(route);
  Route all(points);
  std::iota(all.begin(), all.end(), 0);
  return route == all;
}

template <typename Way>
PointBaseline baseline(std::string name, std::span<const PointSet> sets, const Way& way) {
  PointBaseline made{std::move(name), {}};
  for (const PointSet& set : sets) made.routes.push_back(way(set));
  return made;
}

}  // namespace

PointQuality point_quality(PointTask task, std::span<const PointSet> sets,
                           std::span<const Route> routes) {
  Mean exact, area, not_simple, valid, length, ratio, optimal;
  for (std::size_t i = 0; i < sets.size(); ++i) {
    const PointSet& set = sets[i];
    const Route& route = routes[i];
    const bool known = !set.answer.empty();
    if (known) exact.add(corpora::is_right(task, route, set.answer) ? 1 : 0);
    if (task == PointTask::hull && known) {
      const bool simple = corpora::is_simple(set.points, route);
      not_simple.add(simple ? 0 : 1);
      if (simple) {
        area.add(std::abs(corpora::signed_area(set.points, route)) /
                 corpora::signed_area(set.points, set.answer));
      }
    }
    if (task == PointTask::tour) {
      const bool whole = visits_all(set.points.size(), route);
      valid.add(whole ? 1 : 0);
      if (!whole) continue;
      const double mine = corpora::tour_length(set.points, route);
      length.add(mine);
      if (!known) continue;
      const double best = corpora::tour_length(set.points, set.answer);
      ratio.add(mine / best);
      optimal.add(mine <= best + kSameLength ? 1 : 0);
    }
  }
  return {.sets = sets.size(),
          // Tours of one length are as good as each other: see optimal.
          .exact = task == PointTask::tour ? std::nullopt : exact.value(),
          .area = area.value(),
          .not_simple = not_simple.value(),
          .valid = valid.value(),
          .length = length.value(),
          .ratio = ratio.value(),
          .optimal = optimal.value()};
}

std::vector<PointBaseline> point_baselines(PointTask task, std::span<const PointSet> sets) {
  std::vector<PointBaseline> all;
  Random random(1, kRandomTours);
  const auto at_random = [&](const PointSet& set) {
    return corpora::random_tour(set.points, random);
  };
  if (task == PointTask::hull) {
    all.push_back(baseline("all points by angle", sets,
                           [](const PointSet& set) { return corpora::by_angle(set.points); }));
  }
  if (task == PointTask::sort) {
    all.push_back(baseline("at random", sets, [&](const PointSet& set) {
      Route order(set.points.size());
      std::iota(order.begin(), order.end(), 0);
      random.shuffle(order);
      return order;
    }));
  }
  if (task == PointTask::tour) {
    all.push_back(baseline("at random", sets, at_random));
    all.push_back(baseline("nearest neighbour", sets, [](const PointSet& set) {
      return corpora::nearest_neighbour_tour(set.points);
    }));
    all.push_back(baseline("nearest neighbour, 2-opt", sets, [](const PointSet& set) {
      return corpora::two_opt(set.points, corpora::nearest_neighbour_tour(set.points));
    }));
    if (std::ranges::none_of(sets, [](const PointSet& set) { return set.answer.empty(); })) {
      all.push_back(baseline("the shortest", sets, [](const PointSet& set) { return set.answer; }));
    }
  }
  return all;
}

std::string quality_text(const PointQuality& quality) {
  std::vector<std::string> parts;
  const auto share = [&](const char* name, const std::optional<double>& value) {
    if (value) parts.push_back(fmt::format("{} {:.2f}%", name, 100 * *value));
  };
  share("exact", quality.exact);
  share("area", quality.area);
  share("not simple", quality.not_simple);
  if (quality.length) parts.push_back(fmt::format("length {:.4f}", *quality.length));
  if (quality.ratio) parts.push_back(fmt::format("ratio {:.4f}", *quality.ratio));
  share("shortest", quality.optimal);
  share("valid", quality.valid);
  return join(parts, "  ");
}

}  // namespace heed::pipeline
