// SPDX-License-Identifier: Apache-2.0
// QueryData: what belongs to the queries of one call of attend, besides them.
#pragma once  // public header

#include <cstdint>
#include <utility>

#include "heed/autograd/variable.h"

#pragma GCC visibility push(default)  // exported

namespace heed::attention {

// Where the first query is: at one position in all sequences of a batch, or at one of its own
// in each, as in a padded key/value cache that is filled differently.
struct QueryPosition {
  QueryPosition(std::int64_t position = 0) : all(position) {}
  QueryPosition(Ids positions) : each(std::move(positions)) {}

  std::int64_t all = 0;
  Ids each{};  // [B]; not defined: `all` holds
};

// Letters as in score.h. Data that no part of the mechanism reads is refused.
struct QueryData {
  Ids segments{};     // [B,Q]
  Tensor mask{};      // [B or 1, H or 1, Q, K], non-zero: allowed (the pattern `tensor`)
  Tensor bias{};      // [B or 1, H or 1, Q, K] (the bias `tensor`)
  Variable bounds{};  // [B,H,Q,K], upper bounds of the weights (constrained normalisers)
  // The position of the query of state.step 0; key j is at position j.
  QueryPosition first_query{};
};

}  // namespace heed::attention

#pragma GCC visibility pop
