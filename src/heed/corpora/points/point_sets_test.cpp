// SPDX-License-Identifier: Apache-2.0
// Sets as a function of seed and batch, and what has no answer.
#include "heed/corpora/points/point_sets.h"

#include <gtest/gtest.h>

namespace heed::corpora {
namespace {

TEST(PointSets, AreAFunctionOfSeedAndBatch) {
  const DrawnSets wanted{.task = PointTask::hull, .count = 4, .points = 6, .seed = 9, .batch = 3};
  EXPECT_EQ(draw_sets(wanted), draw_sets(wanted));
  DrawnSets other = wanted;
  other.batch = 4;
  EXPECT_NE(draw_sets(wanted), draw_sets(other));
  other = wanted;
  other.seed = 10;
  EXPECT_NE(draw_sets(wanted), draw_sets(other));
}

TEST(PointSets, AreUniformInTheUnitSquare) {
  double sum = 0, squares = 0;
  int corners[6] = {};
  const int count = 2000;
  for (const PointSet& set : draw_sets({.count = count, .points = 5, .seed = 2})) {
    for (const Point& point : set.points) {
      EXPECT_TRUE(point.x >= 0 && point.x < 1 && point.y >= 0 && point.y < 1);
      sum += point.x;
      squares += point.x * point.x;
    }
    ++corners[set.answer.size()];
  }
  const double mean = sum / (5 * count);
  EXPECT_NEAR(mean, .5, .01);
  EXPECT_NEAR(squares / (5 * count) - mean * mean, 1. / 12, .003);
  // Of five uniform points 10.4%, 54.8% and 34.8% of the sets have a hull of 3, 4 and 5 corners.
  EXPECT_NEAR(corners[3], .104 * count, .02 * count);
  EXPECT_NEAR(corners[4], .548 * count, .03 * count);
  EXPECT_NEAR(corners[5], .348 * count, .03 * count);
}

TEST(PointSets, SortByTheFirstNumber) {
  EXPECT_EQ(answer_of(PointTask::sort, Points{{.5, 0}, {.1, 0}, {.9, 0}}), (Route{1, 0, 2}));
  EXPECT_FALSE(is_right(PointTask::sort, Route{0, 2, 1}, Route{1, 0, 2}));
  EXPECT_TRUE(is_right(PointTask::hull, Route{0, 2, 1}, Route{1, 0, 2}));
}

TEST(PointSets, SayWhyThereIsNoAnswer) {
  EXPECT_EQ(problem_of(PointTask::hull, Points{{0, 0}, {1, 0}}),
            "there are 2 points; give 3 or more");
  EXPECT_EQ(problem_of(PointTask::hull, Points{{0, 0}, {1, 0}, {1, 0}, {0, 1}}),
            "points 2 and 3 coincide; take one of them away");
  EXPECT_EQ(problem_of(PointTask::hull, Points{{0, 0}, {1, 1}, {2, 2}}),
            "all points lie on one line, so that there is no hull; give three that do not");
  EXPECT_EQ(problem_of(PointTask::tour, Points{{0, 0}, {1, 1}, {2, 2}}), "");
  EXPECT_EQ(problem_of(PointTask::sort, Points{{.5, 0}, {.5, 0}}),
            "numbers 1 and 2 are equal; take one of them away");
  EXPECT_EQ(problem_of(PointTask::sort, Points{{.5, 0}}), "there is 1 number; give 2 or more");
}

}  // namespace
}  // namespace heed::corpora
