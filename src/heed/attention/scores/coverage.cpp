// SPDX-License-Identifier: Apache-2.0
// coverage: the additive score that also sees how much each key has been read so far.
#include "heed/attention/scores/additive_scores.h"
#include "heed/nn/initialisers.h"

namespace heed::attention {
namespace {

struct Coverage {
  static constexpr bool kLooksBack = true;

  std::int64_t size = 128;
  AdditiveWeights weights;
  Variable w_c;  // [size] or [H,size]

  static Card card() {
    return {.name = "coverage",
            .summary = "The additive score that also sees how much each key has been read so far.",
            .formula = "vᵀ tanh(W₁k_j + W₂q + w_c c_j), c_j = Σ_t w_tj over past steps t",
            .source = "See et al. 2017",
            .examples = {"size=3"}};
  }
  void declare(Options& options) {
    options.add("size", size, "units of the hidden layer").range(1, 65536);
  }
  void build(const ScoreShape& shape, Random& random) {
    weights = AdditiveWeights(shape, size, random);
    w_c = head_parameter(shape.heads, [&] {
      return nn::fan_in_uniform({1, size}, random).reshape({size});
    });
  }
  void visit(nn::ParameterVisitor& visitor) {
    weights.visit(visitor);
    visitor("w_c", w_c);
  }
  Variable project(const Variable& keys) const { return project_heads(keys, weights.W1); }
  Variable score(const Variable& query, const Variable& keys, const ScoreCall& call) const {
    check_one_query(query, "coverage");
    Variable seen = keys;
    if (const Variable& past = call.state.coverage; past.defined()) {
      const Variable column = reshape(past, past.shape().then(1));  // [B,H,K,1]
      seen = with_features(keys, column * along_heads(w_c, 1));
    }
    return additive_scores(project_heads(query, weights.W2), seen, weights.v, Activation::tanh);
  }
};

const ListedScore<Coverage> kListed;

}  // namespace
}  // namespace heed::attention
