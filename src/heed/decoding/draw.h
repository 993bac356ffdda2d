// SPDX-License-Identifier: Apache-2.0
// Drawing one token from the log-probabilities of all: temperature, top-k, and top-p (nucleus
// sampling, Holtzman 2020).
#pragma once  // public header

#include <span>

#include "heed/base/random.h"
#include "heed/tensor/real.h"
#include "heed/text/token.h"

#pragma GCC visibility push(default)  // exported

namespace heed::decoding {

inline constexpr text::Token kNoToken = -1;

struct DrawOptions {
  double temperature = 1;  // below 1: safer, above: more varied
  int top_k = 0;           // only this many most likely tokens; 0: all
  double nucleus = 1;  // only the fewest tokens that have this probability in all (Holtzman 2020)
};
// UsageError for options out of range.
void check(const DrawOptions& options);

// log-probabilities [V] -> a token, by one number of `random`; kNoToken when all are impossible. A
// row with NaN gives the place of one.
text::Token draw_token(std::span<const Real> log_probabilities, const DrawOptions& options,
                       Random& random);

}  // namespace heed::decoding

#pragma GCC visibility pop
