// SPDX-License-Identifier: Apache-2.0
// Polygons with numbers that can be checked by hand, and hulls against what a hull is.
#include "heed/corpora/points/plane.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "heed/corpora/points/point_sets.h"
#include "heed/corpora/points/tours.h"

namespace heed::corpora {
namespace {

nlohmann::json known_geometry() {
  return nlohmann::json::parse(std::ifstream(std::filesystem::path(HEED_SOURCE_DIR) /
                                             "tests/golden/memory.json"))["geometry"];
}

Points known_points() {
  Points points;
  const nlohmann::json known = known_geometry();
  for (const auto& point : known["points"]) points.push_back({point[0], point[1]});
  return points;
}

const Points kSquare = {{0, 0}, {2, 0}, {2, 2}, {0, 2}};

TEST(Plane, HasTheKnownHullsToursAndAreas) {
  const nlohmann::json known = known_geometry();
  const Points points = known_points();
  const Route hull = convex_hull(points);
  EXPECT_EQ(hull, known["hull_ccw_from_lowest_index"].get<Route>());
  EXPECT_NEAR(signed_area(points, hull), known["hull_area"], 1e-12);
  EXPECT_NEAR(signed_area(points, Route{0, 1, 2}) / signed_area(points, hull),
              known["area_coverage_of_0_1_2"], 1e-12);
  const Route best = optimal_tour(points);
  EXPECT_TRUE(is_same_polygon(best, known["tsp_optimal_tour"].get<Route>()));
  EXPECT_NEAR(tour_length(points, best), known["tsp_optimal_length"], 1e-9);
  const Route nearest = nearest_neighbour_tour(points);
  EXPECT_TRUE(is_same_polygon(nearest, known["nearest_neighbour_tour"].get<Route>()));
  EXPECT_NEAR(tour_length(points, nearest), known["nearest_neighbour_length"], 1e-9);
}

TEST(Plane, MeasuresASquareBothWaysRound) {
  EXPECT_EQ(signed_area(kSquare, Route{0, 1, 2, 3}), 4);
  EXPECT_EQ(signed_area(kSquare, Route{3, 2, 1, 0}), -4);
  EXPECT_EQ(signed_area(kSquare, Route{0, 2, 1, 3}), 0);  // a bow tie
  EXPECT_EQ(tour_length(kSquare, Route{0, 1, 2, 3}), 8);
}

TEST(Plane, KnowsPolygonsWhoseEdgesMeet) {
  EXPECT_TRUE(is_simple(kSquare, Route{0, 1, 2, 3}));
  EXPECT_TRUE(is_simple(kSquare, Route{2, 1, 0}));
  EXPECT_FALSE(is_simple(kSquare, Route{0, 2, 1, 3}));
  EXPECT_FALSE(is_simple(kSquare, Route{0, 1}));
  // The edge from 3 to 0 runs through a corner, and one that goes back on itself.
  const Points touching = {{0, 0}, {4, 0}, {2, 2}, {0, 4}, {2, 0}};
  EXPECT_FALSE(is_simple(touching, Route{0, 1, 4, 3}));
  EXPECT_FALSE(is_simple({{{0, 0}, {4, 0}, {2, 2}, {2, 0}, {0, 4}}}, Route{0, 1, 2, 3, 4}));
}

TEST(Plane, TellsPolygonsApartButNotWhereTheyBegin) {
  EXPECT_TRUE(is_same_polygon(Route{0, 1, 2, 3}, Route{2, 3, 0, 1}));
  EXPECT_TRUE(is_same_polygon(Route{0, 1, 2, 3}, Route{1, 0, 3, 2}));
  EXPECT_FALSE(is_same_polygon(Route{0, 1, 2, 3}, Route{0, 2, 1, 3}));
  EXPECT_FALSE(is_same_polygon(Route{0, 1, 2}, Route{0, 1, 2, 3}));
  EXPECT_FALSE(is_same_polygon(Route{0, 1, 2}, Route{0, 1, 3}));
  EXPECT_TRUE(is_same_polygon(Route{}, Route{}));
}

TEST(ConvexHull, LeavesOutPointsInsideAndOnItsEdges) {
  const Points points = {{1, 1}, {0, 0}, {1, 0}, {2, 0}, {2, 2}, {0, 2}, {0, 1}};
  EXPECT_EQ(convex_hull(points), (Route{1, 3, 4, 5}));
  EXPECT_EQ(convex_hull(Points{{0, 0}, {1, 1}, {2, 2}}), (Route{0, 2}));
  EXPECT_EQ(convex_hull(Points{{1, 1}, {1, 1}}), (Route{0}));
}

TEST(ConvexHull, HasEveryPointOnItsLeftAndBeginsAtItsLowestIndex) {
  for (std::uint64_t batch = 0; batch < 20; ++batch) {
    for (const PointSet& set : draw_sets({.count = 5, .points = 12, .batch = batch})) {
      const Route& hull = set.answer;
      EXPECT_EQ(hull.front(), *std::ranges::min_element(hull));
      EXPECT_GT(signed_area(set.points, hull), 0);
      EXPECT_TRUE(is_simple(set.points, hull));
      for (std::size_t i = 0; i < hull.size(); ++i) {
        for (const Point& other : set.points) {
          const Point& a = set.points[static_cast<std::size_t>(hull[i])];
          const Point& b = set.points[static_cast<std::size_t>(hull[(i + 1) % hull.size()])];
          EXPECT_GE(turn(a, b, other), -1e-15);
        }
      }
    }
  }
}

TEST(Plane, OrdersPointsByTheirAngle) {
  EXPECT_EQ(by_angle(Points{{2, 2}, {0, 0}, {0, 2}, {2, 0}}), (Route{0, 2, 1, 3}));
}

TEST(Plane, FindsWhatHasNoHull) {
  EXPECT_EQ(equal_points(Points{{0, 0}, {1, 0}, {0, 0}}).first, 0);
  EXPECT_EQ(equal_points(Points{{0, 0}, {1, 0}, {0, 0}}).second, 2);
  EXPECT_EQ(equal_points(kSquare).first, -1);
  EXPECT_TRUE(on_one_line(Points{{.1, .1}, {.2, .2}, {.7, .7}}));
  EXPECT_TRUE(on_one_line(Points{{0, 0}, {.1, .3}, {.2, .6}, {.3, .9}}));
  EXPECT_FALSE(on_one_line(Points{{0, 0}, {1, 0}, {.5, 1e-6}}));
}

}  // namespace
}  // namespace heed::corpora
