// SPDX-License-Identifier: Apache-2.0
// The sums of CTC in plain doubles, for sequences whose chances lie close enough together.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "heed/autograd/ctc_places.h"
#include "heed/tensor/real.h"

namespace heed {

// What sums of one sequence need, kept for the next.
struct CtcScratch {
  std::vector<double> chances;   // [T,S]
  std::vector<double> forward;   // [T,S+2]
  std::vector<double> backward;  // [S+2]
  std::vector<double> next;      // [S+2]
  std::vector<double> skips;     // [S]
};

// log p(labels | frames) from the chances [T,C] of each frame, which add up to 1; where wanted, the
// chance of each place at each frame given the labels, [T,S]. Nothing where a chance or a scaled
// sum is so small that a double may lose it: then wider numbers must do it.
std::optional<double> ctc_in_doubles(const CtcPlaces& places, const Real* chances,
                                     std::size_t frames, std::size_t symbols,
                                     std::span<double> posterior, CtcScratch& scratch);

}  // namespace heed
