// SPDX-License-Identifier: Apache-2.0
// Terms that depend on how far a key is from the query. Each pair reads one of R columns, the
// one that stands for its offset j - i; there is never an array of queries x keys x features.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "heed/attention/compose/score_change.h"
#include "heed/autograd/variable.h"

namespace heed::attention {

// Which of `columns` columns each offset reads.
struct Offsets {
  // first_query: the position of query 0; key j is at position j.
  Offsets(std::int64_t first_query, std::int64_t queries, std::int64_t keys, std::int64_t columns,
          const std::function<std::int64_t(std::int64_t offset)>& column_of);

  std::int64_t first_query;
  std::int64_t queries;
  std::int64_t keys;
  std::int64_t columns;
  std::vector<std::int32_t> column;  // of all offsets, the lowest first

  // The columns of keys 0, 1, ... as query q reads them.
  const std::int32_t* row(std::int64_t q) const { return column.data() + (queries - 1 - q); }
};

// table [R] or [H,R] -> lines [H, offsets]: what each offset reads, the lowest first.
Variable offset_lines(const Variable& table, std::int64_t heads, const Offsets& offsets);

// Adds lines [H, queries + keys - 1] to the scores: those of query q begin at queries - 1 - q.
TileChange add_lines(const Variable& lines, std::int64_t queries);

// x [B,H,Q,R] -> y [B,H,Q,K], y[q,k] = x[q, column of k]. scores [B,H,Q,K] is added.
Variable add_by_offset(const Variable& scores, const Variable& x, const Offsets& offsets);

// The other way: weights [B,H,Q,K] -> [B,H,Q,R], the sum over the keys that read each column.
Variable sum_by_offset(const Variable& weights, const Offsets& offsets);

}  // namespace heed::attention
