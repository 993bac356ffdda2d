// SPDX-License-Identifier: Apache-2.0
// The sums of CTC in logarithms, for chances of any size.
#pragma once

#include <cstddef>
#include <span>

#include "heed/autograd/ctc_places.h"
#include "heed/tensor/real.h"

namespace heed {

// log p(labels | frames) from the logarithms [T,C] of the chances of each frame; where wanted, the
// chance of each place at each frame given the labels, [T,S].
double ctc_by_logarithms(const CtcPlaces& places, const Real* log_chances, std::size_t frames,
                         std::size_t symbols, std::span<double> posterior);

}  // namespace heed
