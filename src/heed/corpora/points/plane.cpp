// SPDX-License-Identifier: Apache-2.0
// Hulls by monotone chains, areas by shoelaces.
#include "heed/corpora/points/plane.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

namespace heed::corpora {
namespace {

const Point& at(std::span<const Point> points, int index) {
  return points[static_cast<std::size_t>(index)];
}

Route all_of(std::span<const Point> points) {
  Route route(points.size());
  std::iota(route.begin(), route.end(), 0);
  return route;
}

Route from_lowest(Route route) {
  std::rotate(route.begin(), std::ranges::min_element(route), route.end());
  return route;
}

// Whether c, on the line through a and b, lies between them, ends included.
bool lies_between(const Point& a, const Point& b, const Point& c) {
  return std::min(a.x, b.x) <= c.x && c.x <= std::max(a.x, b.x) && std::min(a.y, b.y) <= c.y &&
         c.y <= std::max(a.y, b.y);
}

int side(const Point& a, const Point& b, const Point& c) {
  const double area = turn(a, b, c);
  return (area > 0) - (area < 0);
}

bool segments_meet(const Point& a, const Point& b, const Point& c, const Point& d) {
  const int c_side = side(a, b, c);
  const int d_side = side(a, b, d);
  const int a_side = side(c, d, a);
  const int b_side = side(c, d, b);
  if (c_side != d_side && a_side != b_side) return true;
  return (c_side == 0 && lies_between(a, b, c)) || (d_side == 0 && lies_between(a, b, d)) ||
         (a_side == 0 && lies_between(c, d, a)) || (b_side == 0 && lies_between(c, d, b));
}

}  // namespace

double distance(const Point& a, const Point& b) {
  return std::hypot(a.x - b.x, a.y - b.y);
}

double turn(const Point& a, const Point& b, const Point& c) {
  return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

double signed_area(std::span<const Point> points, std::span<const int> polygon) {
  double twice = 0;
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const Point& a = at(points, polygon[i]);
    const Point& b = at(points, polygon[(i + 1) % polygon.size()]);
    twice += a.x * b.y - b.x * a.y;
  }
  return twice / 2;
}

bool is_simple(std::span<const Point> points, std::span<const int> polygon) {
  const std::size_t edges = polygon.size();
  if (edges < 3) return false;
  const auto corner = [&](std::size_t i) { return at(points, polygon[i % edges]); };
  for (std::size_t i = 0; i < edges; ++i) {
    // Neighbours meet at their corner, and elsewhere only where the way turns back on itself.
    const Point a = corner(i), b = corner(i + 1), c = corner(i + 2);
    if (turn(a, b, c) == 0 && (lies_between(a, b, c) || lies_between(b, c, a))) return false;
    for (std::size_t j = i + 2; j < edges; ++j) {
      if (i == 0 && j + 1 == edges) continue;
      if (segments_meet(a, b, corner(j), corner(j + 1))) return false;
    }
  }
  return true;
}

bool is_same_polygon(std::span<const int> a, std::span<const int> b) {
  if (a.size() != b.size()) return false;
  if (a.empty()) return true;
  Route turned(b.begin(), b.end());
  for (int way = 0; way < 2; ++way) {
    const auto start = std::ranges::find(turned, a.front());
    if (start == turned.end()) return false;
    std::rotate(turned.begin(), start, turned.end());
    if (std::ranges::equal(a, turned)) return true;
    std::ranges::reverse(turned);
  }
  return false;
}

Route convex_hull(std::span<const Point> points) {
  Route order = all_of(points);
  std::ranges::sort(order, [&](int a, int b) {
    const Point& p = at(points, a);
    const Point& q = at(points, b);
    return std::tie(p.x, p.y, a) < std::tie(q.x, q.y, b);
  });
  const auto equal = [&](int a, int b) { return at(points, a) == at(points, b); };
  order.erase(std::unique(order.begin(), order.end(), equal), order.end());
  if (order.size() < 3) return from_lowest(order);
  Route hull;
  // The lower chain from left to right, then the upper one back.
  const auto bends_left = [&](int next) {
    const double area =
        turn(at(points, hull[hull.size() - 2]), at(points, hull.back()), at(points, next));
    return area > 0;
  };
  const auto add = [&](int next, std::size_t least) {
    while (hull.size() >= least && !bends_left(next)) hull.pop_back();
    hull.push_back(next);
  };
  for (const int next : order) add(next, 2);
  const std::size_t lower = hull.size() + 1;
  for (auto next = order.rbegin() + 1; next != order.rend(); ++next) add(*next, lower);
  hull.pop_back();  // the first again
  return from_lowest(hull);
}

Route by_angle(std::span<const Point> points) {
  Point mean;
  for (const Point& point : points) {
    mean.x += point.x / static_cast<double>(points.size());
    mean.y += point.y / static_cast<double>(points.size());
  }
  Route order = all_of(points);
  std::ranges::stable_sort(order, {}, [&](int index) {
    return std::atan2(at(points, index).y - mean.y, at(points, index).x - mean.x);
  });
  return from_lowest(order);
}

double tour_length(std::span<const Point> points, std::span<const int> tour) {
  double length = 0;
  for (std::size_t i = 0; i < tour.size(); ++i) {
    length += distance(at(points, tour[i]), at(points, tour[(i + 1) % tour.size()]));
  }
  return length;
}

EqualPoints equal_points(std::span<const Point> points) {
  Route order = all_of(points);
  std::ranges::sort(order, [&](int a, int b) {
    const Point& p = at(points, a);
    const Point& q = at(points, b);
    return std::tie(p.x, p.y, a) < std::tie(q.x, q.y, b);
  });
  for (std::size_t i = 1; i < order.size(); ++i) {
    if (at(points, order[i - 1]) == at(points, order[i])) return {order[i - 1], order[i]};
  }
  return {};
}

bool on_one_line(std::span<const Point> points) {
  constexpr double kRounding = 1e-12;  // of the square of their extent
  const Route hull = convex_hull(points);
  if (hull.size() < 3) return true;
  double extent = 0;
  for (const int corner : hull) {
    extent = std::max(extent, distance(at(points, hull.front()), at(points, corner)));
  }
  return signed_area(points, hull) <= kRounding * extent * extent;
}

}  // namespace heed::corpora
