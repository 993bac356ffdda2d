// SPDX-License-Identifier: Apache-2.0
// One pass over the bounds, row by row.
#include "heed/attention/normalisers/bounds.h"

#include <algorithm>
#include <numeric>
#include <span>

#include "heed/base/error.h"

namespace heed::attention {
namespace {

// Ten bounds of .1 may add up to a little less than 1.
constexpr double kRounding = 1e-6;

}  // namespace

void check_bounds(const Normaliser& normaliser, const Tensor& bounds, const Shape& scores) {
  const std::string& name = normaliser.card().name;
  if (!normaliser.takes_bounds()) {
    throw UsageError("{}: bounds were given, but it takes none", name);
  }
  if (bounds.shape() != scores) {
    throw UsageError("{}: bounds {} for scores {}; their shapes must be equal", name,
                     bounds.shape().text(), scores.text());
  }
  const Tensor straight = bounds.packed();
  const auto columns = static_cast<std::size_t>(scores[scores.rank() - 1]);
  const std::size_t rows = columns == 0 ? 0 : static_cast<std::size_t>(scores.size()) / columns;
  for (std::size_t r = 0; r < rows; ++r) {
    const std::span<const Real> row = straight.span().subspan(r * columns, columns);
    const double total = std::accumulate(row.begin(), row.end(), 0.0);
    const bool from_zero = std::ranges::all_of(row, [](Real bound) { return bound >= 0; });
    if (!from_zero || !(total >= 1 - kRounding)) {
      throw UsageError(
          "{}: the bounds of row {} add up to {:.6g}; they must be from 0 and add up to 1 or more",
          name, r, total);
    }
  }
}

}  // namespace heed::attention
