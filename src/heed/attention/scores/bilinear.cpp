// SPDX-License-Identifier: Apache-2.0
// bilinear: query and key of any two widths, through a matrix ("general").
#include "heed/attention/compose/head_weights.h"
#include "heed/attention/score.h"
#include "heed/autograd/ops.h"
#include "heed/nn/initialisers.h"

namespace heed::attention {
namespace {

struct Bilinear {
  Variable W;  // [Dq,Dk] or [H,Dq,Dk]

  static Card card() {
    return {.name = "bilinear",
            .summary = "Query and key of any two widths, through a learnt matrix.",
            .formula = "qᵀW k",
            .source = "Luong et al. 2015 (general)"};
  }
  void declare(Options&) {}
  void build(const ScoreShape& shape, Random& random) {
    W = head_parameter(shape.heads, [&] {
      return nn::glorot_uniform({shape.query_width, shape.key_width}, random);
    });
  }
  void visit(nn::ParameterVisitor& visitor) { visitor("W", W); }
  // The query goes through W, so that the keys stay as they are and grouped heads share them.
  DotQuery dot_query(const Variable& query) const { return {project_heads(query, transpose(W))}; }
};

const ListedScore<Bilinear> kListed;

}  // namespace
}  // namespace heed::attention
