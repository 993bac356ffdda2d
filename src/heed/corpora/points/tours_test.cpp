// SPDX-License-Identifier: Apache-2.0
// The shortest tour against all tours, and the means that the heuristics are known to reach.
#include "heed/corpora/points/tours.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "heed/base/error.h"
#include "heed/base/testing.h"
#include "heed/corpora/points/point_sets.h"

namespace heed::corpora {
namespace {

using test::message_of;

double shortest_of_all(const Points& points) {
  Route tour(points.size());
  std::iota(tour.begin(), tour.end(), 0);
  double best = tour_length(points, tour);
  while (std::next_permutation(tour.begin() + 1, tour.end())) {
    best = std::min(best, tour_length(points, tour));
  }
  return best;
}

bool visits_all(const Points& points, Route tour) {
  std::ranges::sort(tour);
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (i >= tour.size() || tour[i] != static_cast<int>(i)) return false;
  }
  return tour.size() == points.size();
}

TEST(OptimalTour, IsTheShortestOfAll) {
  for (int count = 3; count <= 8; ++count) {
    for (const PointSet& set :
         draw_sets({.task = PointTask::tour, .count = 6, .points = count, .seed = 7})) {
      EXPECT_NEAR(tour_length(set.points, set.answer), shortest_of_all(set.points), 1e-12);
      EXPECT_EQ(set.answer.front(), 0);
      EXPECT_GE(signed_area(set.points, set.answer), 0);
      EXPECT_TRUE(visits_all(set.points, set.answer));
    }
  }
}

TEST(OptimalTour, RefusesMorePointsThanItCanHold) {
  EXPECT_EQ(message_of<UsageError>([] { optimal_tour(Points(13)); }),
            "the shortest tour of 13 points: it is looked for among at most 12");
}

// Means of 2000 sets that other code has found: random 5.21, nearest neighbour 3.18, shortest 2.87.
TEST(Tours, HaveTheMeanLengthsTheyAreKnownFor) {
  Random random(3);
  double any = 0, nearest = 0, swapped = 0, best = 0;
  const int count = 1000;
  for (const PointSet& set :
       draw_sets({.task = PointTask::tour, .count = count, .points = 10, .seed = 5})) {
    const Route first = nearest_neighbour_tour(set.points);
    const Route second = two_opt(set.points, first);
    EXPECT_TRUE(visits_all(set.points, second));
    any += tour_length(set.points, random_tour(set.points, random)) / count;
    nearest += tour_length(set.points, first) / count;
    swapped += tour_length(set.points, second) / count;
    best += tour_length(set.points, set.answer) / count;
    EXPECT_LE(tour_length(set.points, second), tour_length(set.points, first) + 1e-9);
    EXPECT_GE(tour_length(set.points, second), tour_length(set.points, set.answer) - 1e-9);
  }
  EXPECT_NEAR(any, 5.21, .1);
  EXPECT_NEAR(nearest, 3.18, .04);
  EXPECT_NEAR(swapped, 2.89, .04);
  EXPECT_NEAR(best, 2.87, .04);
}

TEST(TurnedTour, BeginsAtTheFirstPointCounterClockwise) {
  const Points square = {{0, 0}, {2, 0}, {2, 2}, {0, 2}};
  EXPECT_EQ(turned_tour(square, {2, 1, 0, 3}), (Route{0, 1, 2, 3}));
}

}  // namespace
}  // namespace heed::corpora
