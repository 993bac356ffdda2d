// SPDX-License-Identifier: Apache-2.0
// alibi: far keys lose, by another slope in each head.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>

#include "heed/attention/bias.h"
#include "heed/attention/relative.h"

namespace heed::attention {
namespace {

// Head h of H, from 0: 2^(-8(h+1)/H). When H is no power of two, the slopes of the power of two
// below come first, then every other slope of the power of two above.
double slope(std::int64_t head, std::int64_t heads) {
  const auto below = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(heads)));
  const double step =
      head < below ? static_cast<double>(head + 1) / static_cast<double>(below)
                   : (2 * static_cast<double>(head - below) + 1) / (2 * static_cast<double>(below));
  return std::exp2(-8 * step);
}

struct Alibi {
  static Card card() {
    return {.name = "alibi",
            .summary = "Far keys lose in proportion to their distance, by another slope per head.",
            .formula = "s - m_h |i - j|, m_h = 2^(-8h/H), h = 1, …, H",
            .source = "Press et al. 2022"};
  }
  void declare(Options&) {}
  Variable transform(const Variable& scores, const BiasCall& call) const {
    const std::int64_t queries = scores.size(2), keys = scores.size(3);
    const std::int64_t columns = std::max(call.first_query + queries, keys);
    const Offsets offsets(call.first_query, queries, keys, columns,
                          [](std::int64_t offset) { return std::abs(offset); });
    Tensor table({scores.size(1), columns});
    Real* data = table.mutable_data();
    for (std::int64_t head = 0; head < scores.size(1); ++head) {
      const double m = slope(call.first_head + head, call.all_heads);
      for (std::int64_t d = 0; d < columns; ++d)
        *data++ = static_cast<Real>(-m * static_cast<double>(d));
    }
    return add_by_offset(scores, table, offsets);
  }
};

const ListedBias<Alibi> kListed;

}  // namespace
}  // namespace heed::attention
