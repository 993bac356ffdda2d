// SPDX-License-Identifier: Apache-2.0
// alibi: far keys lose, by another slope in each head.
#include <bit>
#include <cmath>

#include "heed/attention/bias.h"
#include "heed/attention/biases/relative.h"

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
            .summary = "Far keys lose in proportion to their distance, with a slope for each head.",
            .formula = "s - m_h |i - j|, m_h = 2^(-8h/H), h = 1, …, H",
            .source = "Press et al. 2022"};
  }
  void declare(Options&) {}
  TileChange tile_change(const BiasCall& call) const {
    const std::int64_t length = call.queries() + call.key_count() - 1;
    const std::int64_t lowest = 1 - call.queries() - call.first_query;
    Tensor lines({call.heads(), length});
    Real* data = lines.mutable_data();
    for (std::int64_t head = 0; head < call.heads(); ++head) {
      const double m = slope(call.first_head + head, call.all_heads);
      for (std::int64_t offset = lowest; offset < lowest + length; ++offset) {
        *data++ = static_cast<Real>(-m * std::abs(static_cast<double>(offset)));
      }
    }
    return add_lines(lines, call.queries());
  }
};

const ListedBias<Alibi> kListed;

}  // namespace
}  // namespace heed::attention
