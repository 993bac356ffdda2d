// SPDX-License-Identifier: Apache-2.0
// cosine: the angle between query and key, whatever their lengths.
#include "heed/attention/compose/head_weights.h"
#include "heed/attention/compose/query_or.h"
#include "heed/attention/score.h"
#include "heed/attention/scores/row_norms.h"
#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/nn/initialisers.h"

namespace heed::attention {
namespace {

struct Cosine {
  QueryOr strength{.number = 1};
  bool learnable = false;
  bool projects = false;
  double epsilon = 1e-12;
  Variable beta;         // [1] or [H,1], where it is learnt
  QueryControl control;  // of β, where the query says it
  Variable W;            // [Dk,Dq] or [H,Dk,Dq], where queries are projected

  static Card card() {
    return {.name = "cosine",
            .summary = "The angle between query and key, times a strength; a zero row scores 0.",
            .formula = "β·q·k/(√(|q|² + ε) √(|k|² + ε)); β = softplus(W q + b) by the query",
            .source = "Graves et al. 2014",
            .examples = {"strength=2", "learnable=true", "strength=query", "project=true",
                         "epsilon=1e-06"}};
  }
  void declare(Options& options) {
    options.add("strength", strength, "β: how much a better angle counts; query: it says so");
    options.add("learnable", learnable, "learn β for each head, from strength on");
    options.add("project", projects,
                "compare keys with W q, learnt, so that queries may be of another width");
    options
        .add("epsilon", epsilon,
             "ε: rows much shorter than its root score little, and have gradients of 1/√ε at most")
        .above(0);
  }
  void build(const ScoreShape& shape, Random& random) {
    if (projects) {
      W = head_parameter(shape.heads, [&] {
        return nn::glorot_uniform({shape.key_width, shape.query_width}, random);
      });
    } else {
      require_equal_widths("cosine", shape);
    }
    if (strength.by_query) {
      if (learnable) {
        throw UsageError(
            "cosine: learnable=true learns one strength for all queries, and strength=query one "
            "for each; leave one of them out");
      }
      control.build(1, shape.query_width, shape.heads, random);
    }
    if (!learnable) return;
    beta = head_parameter(shape.heads,
                          [&] { return Tensor::full({1}, static_cast<Real>(strength.number)); });
  }
  void visit(nn::ParameterVisitor& visitor) {
    visitor("beta", beta);
    visitor("strength", control);
    visitor("W", W);
  }
  Variable project(const Variable& keys) const { return unit_rows(keys, epsilon); }
  DotQuery dot_query(const Variable& query) const {
    const Variable unit = unit_rows(projects ? project_heads(query, W) : query, epsilon);
    if (strength.by_query) return {unit * softplus(control(query))};
    if (beta.defined()) return {unit * along_heads(beta, 1)};
    return {unit, static_cast<Real>(strength.number)};
  }
};

const ListedScore<Cosine> kListed;

}  // namespace
}  // namespace heed::attention
