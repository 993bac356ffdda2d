// SPDX-License-Identifier: Apache-2.0
// shaw: a learnt vector for each clipped offset joins the key and, if wanted, the value.
#include <algorithm>
#include <cmath>

#include "heed/attention/bias.h"
#include "heed/attention/biases/relative.h"
#include "heed/attention/compose/head_weights.h"
#include "heed/autograd/ops.h"
#include "heed/nn/initialisers.h"

namespace heed::attention {
namespace {

struct Shaw {
  std::int64_t clip = 16;
  bool values = false;
  double scale = 0;
  Variable keys_table;    // [2 clip + 1, Dq] or [H, 2 clip + 1, Dq]
  Variable values_table;  // [2 clip + 1, Dv] or [H, 2 clip + 1, Dv]

  static Card card() {
    return {.name = "shaw",
            .summary =
                "A learnt vector for each offset, clipped on both sides, is added to the "
                "key and, with values, to the value. Write scaled_dot + shaw, or dot + "
                "shaw(scale=1).",
            .formula = "s + q·a_clip(j-i)/√D; context + Σ_j w_j b_clip(j-i)",
            .source = "Shaw et al. 2018",
            .examples = {"clip=2", "clip=1, values=true, scale=1.0"}};
  }
  void declare(Options& options) {
    options.add("clip", clip, "offsets beyond it count as it").range(0, 1 << 20);
    options.add("values", values, "join the values too");
    options.add("scale", scale, "what to multiply with; 0: one over the root of the query width");
  }
  void build(const BiasShape& shape, Random& random) {
    const std::int64_t rows = 2 * clip + 1;
    keys_table = head_parameter(shape.heads, [&] {
      return nn::glorot_uniform({rows, shape.query_width}, random);
    });
    if (!values) return;
    values_table = head_parameter(shape.heads, [&] {
      return nn::glorot_uniform({rows, shape.value_width}, random);
    });
  }
  void visit(nn::ParameterVisitor& visitor) {
    visitor("a", keys_table);
    visitor("b", values_table);
  }
  Offsets offsets(const Variable& scores, const BiasCall& call) const {
    return Offsets(call.first_query, scores.size(2), scores.size(3), 2 * clip + 1,
                   [this](std::int64_t offset) { return std::clamp(offset, -clip, clip) + clip; });
  }
  Variable transform(const Variable& scores, const BiasCall& call) const {
    const double factor =
        scale != 0 ? scale : 1 / std::sqrt(static_cast<double>(call.query.size(3)));
    const Variable each = project_heads(call.query * static_cast<Real>(factor), keys_table);
    return add_by_offset(scores, each, offsets(scores, call));
  }
  Variable add_to_context(const Variable& weights, const BiasCall& call) const {
    if (!values) return {};
    return project_heads(sum_by_offset(weights, offsets(weights, call)), transpose(values_table));
  }
};

const ListedBias<Shaw> kListed;

}  // namespace
}  // namespace heed::attention
