// SPDX-License-Identifier: Apache-2.0
// Tours of points: the shortest (Held & Karp 1962), and the heuristics it is compared with.
//
// Every tour begins at point 0 and goes round counter-clockwise, in the sense of its signed area.
#pragma once  // public header

#include "heed/base/random.h"
#include "heed/corpora/points/plane.h"

#pragma GCC visibility push(default)  // exported

namespace heed::corpora {

// The most points whose shortest tour is looked for: 2^n n numbers, 0.1 ms at ten points.
inline constexpr std::size_t kMostOptimal = 12;

// The shortest tour; of equals the first that is found. UsageError for more than kMostOptimal
// points.
Route optimal_tour(std::span<const Point> points);
// Always on to the nearest point that is left, from point 0.
Route nearest_neighbour_tour(std::span<const Point> points);
// The tour with stretches turned round as long as that makes it shorter (Croes 1958).
Route two_opt(std::span<const Point> points, Route tour);
Route random_tour(std::span<const Point> points, Random& random);

// The same tour from point 0, counter-clockwise.
Route turned_tour(std::span<const Point> points, Route tour);

}  // namespace heed::corpora

#pragma GCC visibility pop
