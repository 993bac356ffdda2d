// SPDX-License-Identifier: Apache-2.0
// QueryOr: a number of a part that is either written, as in `cosine(strength=2)`, or a linear map
// of the query, as in `cosine(strength=query)`.
#pragma once  // public header

#include <string>

#include "heed/autograd/variable.h"
#include "heed/base/random.h"
#include "heed/nn/module.h"

#pragma GCC visibility push(default)  // exported

namespace heed::attention {

// n numbers for each query and head, linear in the query: W q + b.
struct QueryControl {
  Variable W;  // [n,Dq] or [H,n,Dq]
  Variable b;  // [n] or [H,n]

  void build(std::int64_t numbers, std::int64_t query_width, std::int64_t heads, Random& random);
  void visit(nn::ParameterVisitor& visitor);
  // query [B,H,Q,Dq] -> [B,H,Q,n]
  Variable operator()(const Variable& query) const;
};

// The value of an option: `query`, or a finite number.
struct QueryOr {
  bool by_query = false;
  double number = 0;

  std::string text() const;
  // UsageError for what is neither.
  void read(const std::string& text);
};

}  // namespace heed::attention

#pragma GCC visibility pop
