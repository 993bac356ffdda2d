// SPDX-License-Identifier: Apache-2.0
// What the queries of a call see, for whole mechanisms that keep all keys: as masks, as patterns,
// and softmax attention over nothing else.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "heed/attention/fused/operands.h"
#include "heed/attention/whole.h"

namespace heed::attention {

// condition ? x : 0, gradient included: a NaN that nobody sees stays where it is.
Variable where_seen(const Tensor& seen, const Variable& x);

// [B,1,N,1], 1 for the first count[b] of N; not defined where that is all of them.
Tensor first_ones(const std::vector<std::int64_t>& count, std::int64_t all);

// How many keys of each sequence some query sees.
std::vector<std::int64_t> most_seen(const WholeCall& call);

// Keys and values; zero where nobody sees them.
struct SeenKeys {
  Variable keys, values;
};
SeenKeys seen_keys(const WholeCall& call);

// [B,1,Q,K], 1 for the keys that each query sees.
Tensor seen_matrix(const WholeCall& call);

// The keys of one row, in the form BoundPattern::runs promises.
using RowRuns = std::function<void(std::int64_t batch, std::int64_t head, std::int64_t query,
                                   std::vector<KeyRun>& runs)>;
struct RowsOf {
  std::int64_t batch, heads, queries;  // heads 1: all heads see the same
};
std::shared_ptr<const BoundPattern> pattern_of_rows(const RowsOf& sizes, RowRuns rows);

// The first count[b * queries + q] keys, as WholeCall::visible has them.
std::shared_ptr<const BoundPattern> pattern_of_first(std::vector<std::int64_t> count,
                                                     std::int64_t queries);

// What attends by softmax of scaled products: context without a matrix of Q x K, and that matrix.
struct SoftmaxInputs {
  Variable query;   // [B,H,Q,D]
  Variable keys;    // [B,G,K,D]
  Variable values;  // [B,G,K,Dv]; the matrix needs none
  std::shared_ptr<const BoundPattern> pattern;
  std::vector<TileChange> changes{};  // of the scaled scores
};
Variable softmax_context(const SoftmaxInputs& inputs);
Variable softmax_matrix(const SoftmaxInputs& inputs);

// x [B,G,...] -> [B,heads,...], each of G once for every head that reads it.
Variable for_each_head(const Variable& x, std::int64_t heads);

}  // namespace heed::attention
