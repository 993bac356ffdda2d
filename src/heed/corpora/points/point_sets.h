// SPDX-License-Identifier: Apache-2.0
// Sets of points with their answers: what a model that points learns from. Fresh ones are a
// function of seed and batch, so that a training that resumes sees the same.
#pragma once  // public header

#include <cstdint>
#include <string>
#include <vector>

#include "heed/base/random.h"
#include "heed/corpora/points/plane.h"

#pragma GCC visibility push(default)  // exported

namespace heed::corpora {

// What is to be pointed at: the corners of the hull, all points in the order of the shortest tour,
// numbers (the x of points) in rising order, or what a file gives.
enum class PointTask { hull, tour, sort, given };

struct PointSet {
  Points points{};
  Route answer{};  // empty: unknown

  bool operator==(const PointSet&) const = default;
};

// How many numbers of a point count: 1 for sorting, else 2.
int features_of(PointTask task);
// The fewest points that the task makes sense for.
int fewest_points(PointTask task);
// Of a task that has one: hulls counter-clockwise from the lowest index, shortest tours
// counter-clockwise from point 0. UsageError for a tour of more than kMostOptimal points.
Route answer_of(PointTask task, std::span<const Point> points);
// Whether `found` is the right answer: hulls and tours wherever they begin and whichever way round.
bool is_right(PointTask task, std::span<const int> found, std::span<const int> answer);

// Why the task has no single answer for these points; empty: it has. "points 2 and 4 coincide; take
// one of them away".
std::string problem_of(PointTask task, std::span<const Point> points);

struct DrawnSets {
  PointTask task = PointTask::hull;
  std::int64_t count = 1;
  std::int64_t points = 5;
  std::uint64_t seed = 1;
  std::uint64_t batch = 0;  // other batches have other points
  bool answers = true;
};
// Points uniform in the unit square.
std::vector<PointSet> draw_sets(const DrawnSets& wanted);

}  // namespace heed::corpora

#pragma GCC visibility pop
