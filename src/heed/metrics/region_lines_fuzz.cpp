// SPDX-License-Identifier: Apache-2.0
// Fuzz target of lines of looks at images.
#include "heed/base/fuzzing.h"
#include "heed/metrics/region_lines.h"

namespace heed::test {
namespace {

bool read_region_line(std::string_view bytes) {
  return accepted([&] {
    const metrics::RegionLine look = metrics::parse_region_line(bytes, "line");
    require(std::ssize(look.weights) == look.rows * look.columns, "weights of another number");
    metrics::RegionScore score;
    score.add(look.weights, metrics::GoldCells::of(look.mask, look.rows, look.columns));
    require(score.mass() >= 0 && score.mass() <= 1.0000001, "more mass inside than there is");
  });
}
const FuzzTarget kRegionLines("region_lines", read_region_line);

}  // namespace
}  // namespace heed::test
