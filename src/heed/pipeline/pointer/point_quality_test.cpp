// SPDX-License-Identifier: Apache-2.0
// Measures of routes, by hand.
#include "heed/pipeline/pointer/point_quality.h"

#include <gtest/gtest.h>

namespace heed::pipeline {
namespace {

using corpora::PointSet;
using corpora::PointTask;
using corpora::Route;

// A square with a point inside.
const PointSet kHull{.points = {{0, 0}, {1, 0}, {1, 1}, {0, 1}, {.5, .4}}, .answer = {0, 1, 2, 3}};

TEST(PointQuality, OfHullsCountsAreasOfSimplePolygonsOnly) {
  const std::vector<PointSet> sets(4, kHull);
  // Right, the other way round; half of it; one that crosses itself; with the point inside.
  const std::vector<Route> routes = {{2, 1, 0, 3}, {0, 1, 2}, {0, 2, 1, 3}, {0, 4, 1, 2, 3}};
  const PointQuality quality = point_quality(PointTask::hull, sets, routes);
  EXPECT_EQ(quality.sets, 4u);
  EXPECT_EQ(quality.exact, .25);
  EXPECT_EQ(quality.not_simple, .25);
  EXPECT_NEAR(*quality.area, (1 + .5 + .8) / 3, 1e-12);
  EXPECT_FALSE(quality.length || quality.valid || quality.ratio || quality.optimal);
  EXPECT_EQ(quality_text(point_quality(PointTask::hull, sets, std::vector<Route>(4, kHull.answer))),
            "exact 100.00%  area 100.00%  not simple 0.00%");
}

TEST(PointQuality, OfToursCountsThoseThatVisitAllPoints) {
  PointSet square{.points = {{0, 0}, {1, 0}, {1, 1}, {0, 1}}, .answer = {0, 1, 2, 3}};
  const std::vector<PointSet> sets(4, square);
  const std::vector<Route> routes = {{0, 3, 2, 1}, {0, 2, 1, 3}, {0, 1, 2}, {0, 1, 2, 2}};
  const PointQuality quality = point_quality(PointTask::tour, sets, routes);
  EXPECT_EQ(quality.valid, .5);
  const double crossed = 2 + 2 * std::sqrt(2.);
  EXPECT_NEAR(*quality.length, (4 + crossed) / 2, 1e-12);
  EXPECT_NEAR(*quality.ratio, (1 + crossed / 4) / 2, 1e-12);
  EXPECT_EQ(quality.optimal, .5);
  EXPECT_FALSE(quality.exact);
  square.answer.clear();  // larger tours have none that is known
  const PointQuality unknown =
      point_quality(PointTask::tour, std::span(&square, 1), std::span(routes).first(1));
  EXPECT_EQ(unknown.length, 4);
  EXPECT_FALSE(unknown.ratio || unknown.optimal);
}

TEST(PointBaselines, AreTheSimpleWaysOfEachTask) {
  const auto names = [](PointTask task) {
    std::vector<std::string> all;
    const auto sets = corpora::draw_sets({.task = task, .count = 3, .points = 6});
    for (const PointBaseline& one : point_baselines(task, sets)) {
      EXPECT_EQ(one.routes.size(), 3u);
      all.push_back(one.name);
    }
    return all;
  };
  EXPECT_EQ(names(PointTask::hull), (std::vector<std::string>{"all points by angle"}));
  EXPECT_EQ(names(PointTask::sort), (std::vector<std::string>{"at random"}));
  EXPECT_EQ(names(PointTask::tour),
            (std::vector<std::string>{"at random", "nearest neighbour", "nearest neighbour, 2-opt",
                                      "the shortest"}));
}

}  // namespace
}  // namespace heed::pipeline
