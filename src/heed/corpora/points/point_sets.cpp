// SPDX-License-Identifier: Apache-2.0
// Drawing and answering.
#include "heed/corpora/points/point_sets.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "heed/base/error.h"
#include "heed/corpora/points/tours.h"

namespace heed::corpora {
namespace {

// Streams of points are far from those of noise and of first weights.
constexpr std::uint64_t kPointStreams = 0x706f696e74ULL << 24;

Points draw_points(Random& random, const DrawnSets& wanted) {
  Points points(static_cast<std::size_t>(wanted.points));
  for (Point& point : points) {
    point.x = random.uniform();
    if (features_of(wanted.task) == 2) point.y = random.uniform();
  }
  return points;
}

}  // namespace

int features_of(PointTask task) {
  return task == PointTask::sort ? 1 : 2;
}

int fewest_points(PointTask task) {
  return task == PointTask::hull || task == PointTask::tour ? 3 : 2;
}

Route answer_of(PointTask task, std::span<const Point> points) {
  switch (task) {
    case PointTask::hull:
      return convex_hull(points);
    case PointTask::tour:
      return optimal_tour(points);
    case PointTask::sort: {
      Route order(points.size());
      std::iota(order.begin(), order.end(), 0);
      std::ranges::stable_sort(order, {},
                               [&](int i) { return points[static_cast<std::size_t>(i)].x; });
      return order;
    }
    case PointTask::given:
      break;
  }
  throw UsageError("points: only a file has the answers of this task");
}

bool is_right(PointTask task, std::span<const int> found, std::span<const int> answer) {
  const bool turns = task == PointTask::hull || task == PointTask::tour;
  return turns ? is_same_polygon(found, answer) : std::ranges::equal(found, answer);
}

std::string problem_of(PointTask task, std::span<const Point> points) {
  const bool numbers = features_of(task) == 1;
  if (std::ssize(points) < fewest_points(task)) {
    return fmt::format("there {} {} {}{}; give {} or more", points.size() == 1 ? "is" : "are",
                       points.size(), numbers ? "number" : "point", points.size() == 1 ? "" : "s",
                       fewest_points(task));
  }
  if (const EqualPoints equal = equal_points(points); equal.first >= 0) {
    return fmt::format("{} {} and {} {}; take one of them away", numbers ? "numbers" : "points",
                       equal.first + 1, equal.second + 1, numbers ? "are equal" : "coincide");
  }
  if (task == PointTask::hull && on_one_line(points)) {
    return "all points lie on one line, so that there is no hull; give three that do not";
  }
  return {};
}

std::vector<PointSet> draw_sets(const DrawnSets& wanted) {
  Random random(wanted.seed, kPointStreams + wanted.batch);
  std::vector<PointSet> sets;
  while (std::ssize(sets) < wanted.count) {
    PointSet set{.points = draw_points(random, wanted)};
    if (!problem_of(wanted.task, set.points).empty()) continue;  // once in 2^50 or so
    if (wanted.answers) set.answer = answer_of(wanted.task, set.points);
    sets.push_back(std::move(set));
  }
  return sets;
}

}  // namespace heed::corpora
