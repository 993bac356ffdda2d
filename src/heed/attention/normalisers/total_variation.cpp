// SPDX-License-Identifier: Apache-2.0
// The taut string: Condat's direct algorithm for the one-dimensional total-variation proximal map.
#include "heed/attention/normalisers/total_variation.h"

namespace heed::attention {

// Condat 2013, "A direct algorithm for 1-D total variation denoising". A run starts at `start` with
// a value between lowest and highest; slack_low and slack_high say how far the dual variable is
// from its limits if the run took either value. When a limit is passed, the run ends at the last
// index where that limit was touched.
void total_variation_prox(std::span<const double> z, double strength, std::span<double> y,
                          std::vector<std::size_t>& ends) {
  ends.clear();
  const std::size_t n = z.size();
  if (n == 0) return;
  std::size_t at = 0, start = 0, low_end = 0, high_end = 0;
  double lowest = z[0] - strength, highest = z[0] + strength;
  double slack_low = strength, slack_high = -strength;
  const auto close_run = [&](std::size_t last, double value) {
    for (std::size_t i = start; i <= last; ++i) y[i] = value;
    ends.push_back(last + 1);
    at = start = low_end = high_end = last + 1;
  };
  for (;;) {
    if (at == n - 1) {
      if (slack_low < 0) {  // the end pulls down: the run so far stays at its lowest
        close_run(low_end, lowest);
        lowest = z[at];
        slack_low = strength;
        slack_high = z[at] + strength - highest;
      } else if (slack_high > 0) {
        close_run(high_end, highest);
        highest = z[at];
        slack_high = -strength;
        slack_low = z[at] - strength - lowest;
      } else {
        close_run(at, lowest + slack_low / static_cast<double>(at - start + 1));
        return;
      }
      continue;
    }
    const double next = z[at + 1];
    if (next + slack_low < lowest - strength) {
      close_run(low_end, lowest);
      lowest = z[at];
      highest = z[at] + 2 * strength;
      slack_low = strength;
      slack_high = -strength;
    } else if (next + slack_high > highest + strength) {
      close_run(high_end, highest);
      highest = z[at];
      lowest = z[at] - 2 * strength;
      slack_low = strength;
      slack_high = -strength;
    } else {
      ++at;
      slack_low += z[at] - lowest;
      slack_high += z[at] - highest;
      if (slack_low >= strength) {
        lowest += (slack_low - strength) / static_cast<double>(at - start + 1);
        slack_low = strength;
        low_end = at;
      }
      if (slack_high <= -strength) {
        highest += (slack_high + strength) / static_cast<double>(at - start + 1);
        slack_high = -strength;
        high_end = at;
      }
    }
  }
}

}  // namespace heed::attention
