// SPDX-License-Identifier: Apache-2.0
// Fuzz target of files of points, with or without answers.
#include "heed/base/fuzzing.h"
#include "heed/corpora/points/point_files.h"

#include <cmath>

namespace heed::test {
namespace {

bool read_points(std::string_view bytes) {
  bool read = false;
  for (const int features : {2, 1}) {
    const bool mine = accepted([&] {
      for (const corpora::PointSet& set : corpora::parse_point_sets(bytes, features, "input")) {
        for (const corpora::Point& point : set.points) {
          require(std::isfinite(point.x) && std::isfinite(point.y), "a coordinate is not finite");
        }
        for (const int index : set.answer) {
          require(index >= 0 && index < std::ssize(set.points), "an answer beyond its points");
        }
        const std::string line = corpora::written_points(set.points, features);
        require(corpora::parse_point_line(line, features, "line").points == set.points,
                "points come back changed");
      }
    });
    read = read || mine;
  }
  return read;
}

const FuzzTarget kPoints("points", read_points);

}  // namespace
}  // namespace heed::test
