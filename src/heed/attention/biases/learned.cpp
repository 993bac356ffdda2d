// SPDX-License-Identifier: Apache-2.0
// learned: a number of its own for every pair of positions.
#include "heed/attention/bias.h"
#include "heed/attention/compose/head_weights.h"
#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/nn/initialisers.h"

namespace heed::attention {
namespace {

struct Learned {
  std::int64_t queries = 512;
  std::int64_t keys = 512;
  Variable table;  // [queries,keys] or [H,queries,keys]

  static Card card() {
    return {.name = "learned",
            .summary = "A learnt number of its own for every pair of positions.",
            .formula = "s + table[i, j]",
            .source = "Tay et al. 2021 (Synthesizer, random)",
            .examples = {"queries=16, keys=16"}};
  }
  void declare(Options& options) {
    options.add("queries", queries, "positions a query may have").range(1, 1 << 20);
    options.add("keys", keys, "positions a key may have").range(1, 1 << 20);
  }
  void build(const BiasShape& shape, Random& random) {
    table = head_parameter(shape.heads, [&] {
      return nn::normal({queries, keys}, random, 0, Real(0.02));
    });
  }
  void visit(nn::ParameterVisitor& visitor) { visitor("table", table); }
  Variable transform(const Variable& scores, const BiasCall& call) const {
    const std::int64_t end = call.first_query + scores.size(2);
    if (end > queries || scores.size(3) > keys) {
      throw UsageError("learned: {} query positions and {} keys; the table has {} and {}", end,
                       scores.size(3), queries, keys);
    }
    const Variable rows = slice(table, -2, call.first_query, end);
    return scores + slice(rows, -1, 0, scores.size(3));
  }
};

const ListedBias<Learned> kListed;

}  // namespace
}  // namespace heed::attention
