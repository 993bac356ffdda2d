// SPDX-License-Identifier: Apache-2.0
// What `heed point` prints: routes with how good they are, and tables of quality.
#pragma once

#include <span>
#include <string>

#include "heed/corpora/points/point_sets.h"
#include "heed/pipeline/pointer/point_quality.h"
#include "heed/pipeline/pointer/point_search.h"

namespace heed::cli {

// A set, with its right answer where that is known, and what was found.
struct PointedSet {
  corpora::PointSet set{};
  pipeline::FoundRoute found{};
};

// "probability 0.973, the hull", "probability 0.51, 98.2% of the hull's area; the hull is 1 2 3 4".
std::string pointed_line(corpora::PointTask task, const PointedSet& one);
std::string pointed_text(corpora::PointTask task, std::span<const PointedSet> all);
std::string pointed_json(corpora::PointTask task, std::span<const PointedSet> all);

struct NamedQuality {
  std::string name{};
  pipeline::PointQuality quality{};
};
// The model first, then simple ways.
std::string quality_table(std::span<const NamedQuality> rows);
std::string quality_json(std::span<const NamedQuality> rows);

}  // namespace heed::cli
