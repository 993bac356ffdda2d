// SPDX-License-Identifier: Apache-2.0
// metric: near keys score higher, and what counts as near is learnt.
#include "heed/attention/compose/head_weights.h"
#include "heed/attention/compose/products.h"
#include "heed/attention/score.h"
#include "heed/attention/scores/row_norms.h"
#include "heed/base/error.h"
#include "heed/nn/initialisers.h"

namespace heed::attention {
namespace {

struct Metric {
  double scale = 1;
  Variable L;  // [D,D], one for all heads

  static Card card() {
    return {.name = "metric",
            .summary = "Near keys score higher, by a distance that is learnt.",
            .formula = "-|L(q - k)|²/2",
            .source = "Weinberger & Tesauro 2007 (metric learning for kernel regression)"};
  }
  void declare(Options& options) {
    options.add("scale", scale, "L at first: this times the identity").above(0);
  }
  void build(const ScoreShape& shape, Random&) {
    if (shape.query_width != shape.key_width) {
      throw UsageError("metric: queries of width {} and keys of width {}; they must be equal",
                       shape.query_width, shape.key_width);
    }
    Tensor identity = Tensor::zeros({shape.key_width, shape.key_width});
    for (std::int64_t d = 0; d < shape.key_width; ++d) {
      identity.mutable_data()[d * (shape.key_width + 1)] = static_cast<Real>(scale);
    }
    L = nn::parameter(identity);
  }
  void visit(nn::ParameterVisitor& visitor) { visitor("L", L); }
  // (k, -|k|²/2, 1) . (q, 1, -|q|²/2) = -|q - k|²/2 of the projected ones.
  Variable project(const Variable& keys) const {
    return with_norm(project_heads(keys, L), NormPlace::first);
  }
  Variable score(const Variable& query, const Variable& keys, const ScoreCall&) const {
    return dot_products(with_norm(project_heads(query, L), NormPlace::last), keys);
  }
};

const ListedScore<Metric> kListed;

}  // namespace
}  // namespace heed::attention
