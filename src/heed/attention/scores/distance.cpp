// SPDX-License-Identifier: Apache-2.0
// distance: near keys score higher; with softmax a Gaussian around the query.
#include "heed/attention/compose/head_weights.h"
#include "heed/attention/score.h"
#include "heed/attention/scores/row_norms.h"
#include "heed/autograd/ops.h"
#include "heed/nn/initialisers.h"

namespace heed::attention {
namespace {

struct Distance {
  double deviation = 1;
  bool learnable = false;
  Variable sigma;  // [1] or [H,1], where it is learnt

  static Card card() {
    return {.name = "distance",
            .summary = "Near keys score higher: minus the squared distance of query and key.",
            .formula = "-|q - k|²/(2σ²)",
            .source = "Nadaraya 1964; Watson 1964",
            .examples = {"deviation=1.5", "learnable=true"}};
  }
  void declare(Options& options) {
    options.add("deviation", deviation, "σ: the distance that counts as one").above(0);
    options.add("learnable", learnable, "learn σ for each head, from deviation on");
  }
  void build(const ScoreShape& shape, Random&) {
    require_equal_widths("distance", shape);
    if (!learnable) return;
    sigma = head_parameter(shape.heads,
                           [&] { return Tensor::full({1}, static_cast<Real>(deviation)); });
  }
  void visit(nn::ParameterVisitor& visitor) { visitor("sigma", sigma); }
  // (k, -|k|²/2, 1) . (q, 1, -|q|²/2) = -|q - k|²/2: one product, grouped heads as in dot.
  Variable project(const Variable& keys) const { return with_norm(keys, NormPlace::first); }
  DotQuery dot_query(const Variable& query) const {
    const Variable widened = with_norm(query, NormPlace::last);
    if (sigma.defined()) return {widened * along_heads(power(sigma, -2), 1)};
    return {widened, static_cast<Real>(1 / (deviation * deviation))};
  }
};

const ListedScore<Distance> kListed;

}  // namespace
}  // namespace heed::attention
