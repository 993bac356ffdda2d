// SPDX-License-Identifier: Apache-2.0
// location: the query alone says which positions it wants.
#include "heed/attention/compose/head_weights.h"
#include "heed/attention/score.h"
#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/nn/initialisers.h"

namespace heed::attention {
namespace {

struct Location {
  std::int64_t length = 512;
  Variable W;  // [length,Dq] or [H,length,Dq]

  static Card card() {
    return {.name = "location",
            .summary = "The query alone says which positions it wants; keys are not looked at.",
            .formula = "(W q)_j",
            .source = "Luong et al. 2015",
            .examples = {"length=16"}};
  }
  void declare(Options& options) {
    options.add("length", length, "the most keys there may be").range(1, 1 << 24);
  }
  void build(const ScoreShape& shape, Random& random) {
    W = head_parameter(shape.heads, [&] {
      return nn::glorot_uniform({length, shape.query_width}, random);
    });
  }
  void visit(nn::ParameterVisitor& visitor) { visitor("W", W); }
  Variable score(const Variable& query, const Variable& keys, const ScoreCall&) const {
    const std::int64_t count = keys.size(2);
    if (count > length) {
      throw UsageError("location: {} keys; length is {}, set it to the most there will be", count,
                       length);
    }
    return project_heads(query, slice(W, -2, 0, count));
  }
};

const ListedScore<Location> kListed;

}  // namespace
}  // namespace heed::attention
