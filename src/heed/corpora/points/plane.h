// SPDX-License-Identifier: Apache-2.0
// Points in the plane and the polygons that visit them: areas, convex hulls, lengths.
//
// A route names points by their index, from 0, in the order in which they are visited.
#pragma once  // public header

#include <span>
#include <vector>

#pragma GCC visibility push(default)  // exported

namespace heed::corpora {

struct Point {
  double x = 0;
  double y = 0;

  bool operator==(const Point&) const = default;
};

using Points = std::vector<Point>;
using Route = std::vector<int>;

double distance(const Point& a, const Point& b);

// Twice the area of the triangle, positive where a, b, c turn counter-clockwise.
double turn(const Point& a, const Point& b, const Point& c);

// The area of a polygon, by the shoelace formula: positive counter-clockwise.
double signed_area(std::span<const Point> points, std::span<const int> polygon);
// Whether no two of its edges meet but neighbours at their common corner.
bool is_simple(std::span<const Point> points, std::span<const int> polygon);
// Whether two polygons have the same corners in the same order, wherever they begin and whichever
// way round.
bool is_same_polygon(std::span<const int> a, std::span<const int> b);

// The corners of the convex hull, counter-clockwise from the lowest index (Andrew 1979); points on
// its edges are none. Two for points on one line, one where all coincide.
Route convex_hull(std::span<const Point> points);
// All points by their angle around the mean, counter-clockwise from the lowest index: a hull only
// where every point is a corner.
Route by_angle(std::span<const Point> points);

// The length of the closed tour.
double tour_length(std::span<const Point> points, std::span<const int> tour);

// The first pair of equal points, the lower index first; {-1, -1}: all differ.
struct EqualPoints {
  int first = -1;
  int second = -1;
};
EqualPoints equal_points(std::span<const Point> points);
// Whether no three of them span a triangle, to within rounding.
bool on_one_line(std::span<const Point> points);

}  // namespace heed::corpora

#pragma GCC visibility pop
