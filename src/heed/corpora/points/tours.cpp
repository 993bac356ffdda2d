// SPDX-License-Identifier: Apache-2.0
// Dynamic programming over sets of points, and greedy ways without it.
#include "heed/corpora/points/tours.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <numeric>

#include "heed/base/error.h"

namespace heed::corpora {
namespace {

// [n,n]
std::vector<double> distances(std::span<const Point> points) {
  std::vector<double> all;
  all.reserve(points.size() * points.size());
  for (const Point& a : points) {
    for (const Point& b : points) all.push_back(distance(a, b));
  }
  return all;
}

Route identity(std::size_t size) {
  Route route(size);
  std::iota(route.begin(), route.end(), 0);
  return route;
}

}  // namespace

Route turned_tour(std::span<const Point> points, Route tour) {
  if (signed_area(points, tour) < 0) std::ranges::reverse(tour);
  const auto first = std::ranges::find(tour, 0);
  if (first != tour.end()) std::rotate(tour.begin(), first, tour.end());
  return tour;
}

// shortest(S, j): the shortest way from point 0 through all of S that ends at j, a point of S, is
// the least over i of shortest(S without j, i) + d(i, j). Sets are bits, of the points after 0.
Route optimal_tour(std::span<const Point> points) {
  const std::size_t n = points.size();
  if (n > kMostOptimal) {
    throw UsageError("the shortest tour of {} points: it is looked for among at most {}", n,
                     kMostOptimal);
  }
  if (n < 4) return turned_tour(points, identity(n));
  const std::size_t others = n - 1;
  const std::size_t sets = std::size_t{1} << others;
  const std::vector<double> d = distances(points);
  std::vector<double> shortest(sets * others, std::numeric_limits<double>::infinity());
  std::vector<std::int16_t> before(sets * others, -1);
  for (std::size_t j = 0; j < others; ++j) shortest[(std::size_t{1} << j) * others + j] = d[j + 1];
  for (std::size_t set = 1; set < sets; ++set) {
    for (std::size_t ends = set; ends != 0; ends &= ends - 1) {
      const auto j = static_cast<std::size_t>(std::countr_zero(ends));
      const std::size_t without = set ^ std::size_t{1} << j;
      const double* const ways = &shortest[without * others];
      const double* const to_j = &d[(j + 1) * n + 1];
      double best = shortest[set * others + j];
      std::int16_t from = -1;
      for (std::size_t left = without; left != 0; left &= left - 1) {
        const auto i = static_cast<std::size_t>(std::countr_zero(left));
        const double way = ways[i] + to_j[i];
        if (way >= best) continue;
        best = way;
        from = static_cast<std::int16_t>(i);
      }
      shortest[set * others + j] = best;
      before[set * others + j] = from;
    }
  }
  std::size_t set = sets - 1;
  std::size_t last = 0;
  double best = std::numeric_limits<double>::infinity();
  for (std::size_t j = 0; j < others; ++j) {
    const double closed = shortest[set * others + j] + d[(j + 1) * n];
    if (closed >= best) continue;
    best = closed;
    last = j;
  }
  Route tour = {0};
  for (int j = static_cast<int>(last); j >= 0;) {
    tour.push_back(j + 1);
    const int previous = before[set * others + static_cast<std::size_t>(j)];
    set ^= std::size_t{1} << j;
    j = previous;
  }
  return turned_tour(points, tour);
}

Route nearest_neighbour_tour(std::span<const Point> points) {
  Route left = identity(points.size());
  Route tour;
  while (!left.empty()) {
    auto next = left.begin();
    if (!tour.empty()) {
      const Point& here = points[static_cast<std::size_t>(tour.back())];
      next = std::ranges::min_element(left, {}, [&](int index) {
        const Point& there = points[static_cast<std::size_t>(index)];
        const double x = there.x - here.x, y = there.y - here.y;
        return x * x + y * y;
      });
    }
    tour.push_back(*next);
    left.erase(next);
  }
  return turned_tour(points, tour);
}

Route two_opt(std::span<const Point> points, Route tour) {
  constexpr double kGain = 1e-12;  // less is rounding, and could go round in circles
  const std::size_t n = tour.size();
  const auto between = [&](std::size_t i, std::size_t j) {
    return distance(points[static_cast<std::size_t>(tour[i % n])],
                    points[static_cast<std::size_t>(tour[j % n])]);
  };
  for (bool shorter = n > 3; shorter;) {
    shorter = false;
    for (std::size_t i = 0; i + 2 < n; ++i) {
      for (std::size_t j = i + 2; j < n; ++j) {
        const double gain =
            between(i, i + 1) + between(j, j + 1) - between(i, j) - between(i + 1, j + 1);
        if (gain <= kGain) continue;
        std::reverse(tour.begin() + static_cast<std::ptrdiff_t>(i + 1),
                     tour.begin() + static_cast<std::ptrdiff_t>(j + 1));
        shorter = true;
      }
    }
  }
  return turned_tour(points, tour);
}

Route random_tour(std::span<const Point> points, Random& random) {
  Route tour = identity(points.size());
  random.shuffle(tour);
  return turned_tour(points, tour);
}

}  // namespace heed::corpora
