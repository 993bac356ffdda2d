// SPDX-License-Identifier: Apache-2.0
// How good routes are: the measures of Vinyals 2015, and the simple ways beside them.
#pragma once  // public header

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "heed/corpora/points/point_sets.h"

#pragma GCC visibility push(default)  // exported

namespace heed::pipeline {

// Means over sets. What a task does not have, or what takes an answer where there is none, is not
// given.
struct PointQuality {
  std::size_t sets = 0;
  std::optional<double> exact{};       // share of right answers
  std::optional<double> area{};        // hulls: of the area covered, over simple polygons
  std::optional<double> not_simple{};  // hulls: share of polygons that cross themselves
  std::optional<double> valid{};       // tours: share that visit every point once
  std::optional<double> length{};      // tours: of valid ones
  std::optional<double> ratio{};       // tours: of the length to the shortest
  std::optional<double> optimal{};     // tours: share no longer than the shortest, to within 1e-6
};

PointQuality point_quality(corpora::PointTask task, std::span<const corpora::PointSet> sets,
                           std::span<const corpora::Route> routes);

// A simple way to answer, by name.
struct PointBaseline {
  std::string name;
  std::vector<corpora::Route> routes;
};
// Of hulls: all points by angle. Of tours: at random, nearest neighbour, and that with 2-opt. Of
// sorting: at random. The last is the right answer where it is known.
std::vector<PointBaseline> point_baselines(corpora::PointTask task,
                                           std::span<const corpora::PointSet> sets);

// A row of a table: "exact 92.1%  area 99.6%  not simple 0.2%".
std::string quality_text(const PointQuality& quality);

}  // namespace heed::pipeline

#pragma GCC visibility pop
