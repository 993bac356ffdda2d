// SPDX-License-Identifier: Apache-2.0
// The most likely tokens of a row, found without sorting it.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "heed/tensor/real.h"
#include "heed/text/token.h"

namespace heed::decoding {

struct ScoredToken {
  text::Token token;
  Real value;
};

// The `count` largest values of a row, largest first, of equal ones the lower token first; fewer
// where the rest is -inf. A row with NaN gives its first NaN alone.
std::vector<ScoredToken> top_tokens(std::span<const Real> row, std::size_t count);

}  // namespace heed::decoding
