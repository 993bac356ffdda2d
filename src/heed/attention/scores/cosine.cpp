// SPDX-License-Identifier: Apache-2.0
// cosine: the angle between query and key, whatever their lengths.
#include "heed/attention/compose/head_weights.h"
#include "heed/attention/score.h"
#include "heed/attention/scores/row_norms.h"
#include "heed/autograd/ops.h"
#include "heed/nn/initialisers.h"

namespace heed::attention {
namespace {

struct Cosine {
  double strength = 1;
  bool learnable = false;
  Variable beta;  // [1] or [H,1], where it is learnt

  static Card card() {
    return {.name = "cosine",
            .summary = "The angle between query and key, times a strength; a zero row scores 0.",
            .formula = "β·q·k/(√(|q|² + ε) √(|k|² + ε)), ε = 1e-12",
            .source = "Graves et al. 2014",
            .examples = {"strength=2.0", "learnable=true"}};
  }
  void declare(Options& options) {
    options.add("strength", strength, "β: how much a better angle counts");
    options.add("learnable", learnable, "learn β for each head, from strength on");
  }
  void build(const ScoreShape& shape, Random&) {
    require_equal_widths("cosine", shape);
    if (!learnable) return;
    beta =
        head_parameter(shape.heads, [&] { return Tensor::full({1}, static_cast<Real>(strength)); });
  }
  void visit(nn::ParameterVisitor& visitor) { visitor("beta", beta); }
  Variable project(const Variable& keys) const { return unit_rows(keys); }
  DotQuery dot_query(const Variable& query) const {
    const Variable unit = unit_rows(query);
    if (beta.defined()) return {unit * along_heads(beta, 1)};
    return {unit, static_cast<Real>(strength)};
  }
};

const ListedScore<Cosine> kListed;

}  // namespace
}  // namespace heed::attention
