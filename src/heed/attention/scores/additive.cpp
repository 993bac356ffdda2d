// SPDX-License-Identifier: Apache-2.0
// additive: a network of one hidden layer over query and key ("concat").
#include "heed/attention/scores/additive_rows.h"
#include "heed/attention/scores/additive_scores.h"

namespace heed::attention {
namespace {

// From here on the products that additive_row_scores repeats for each call are small beside the
// activations: 4 D against some 30 Q operations per key and unit.
constexpr std::int64_t kManyQueries = 64;

struct Additive {
  std::int64_t size = 128;
  AdditiveActivation bend = AdditiveActivation::tanh;
  AdditiveWeights weights;

  static Card card() {
    return {.name = "additive",
            .summary = "A network of one hidden layer over query and key, of any two widths.",
            .formula = "vᵀ act(W₁k + W₂q)",
            .source = "Bahdanau et al. 2015",
            .examples = {"size=5", "size=3, activation=relu", "size=3, activation=sigmoid",
                         "size=3, activation=gelu", "size=3, activation=swish"}};
  }
  void declare(Options& options) {
    options.add("size", size, "units of the hidden layer").range(1, 65536);
    declare_activation(options, bend);
  }
  void build(const ScoreShape& shape, Random& random) {
    weights = AdditiveWeights(shape, size, random);
  }
  void visit(nn::ParameterVisitor& visitor) { weights.visit(visitor); }
  Variable project(const Variable& keys) const { return project_heads(keys, weights.W1); }
  AdditiveQuery additive_query(const Variable& query) const {
    return {project_heads(query, weights.W2), weights.v, activation_of(bend)};
  }
  Variable score(const Variable& query, const Variable& keys, const ScoreCall& call) const {
    if (call.keys.defined() && keys.needs_gradient() && query.size(2) >= kManyQueries) {
      return additive_row_scores({query, call.keys, keys.value(), weights}, activation_of(bend));
    }
    const AdditiveQuery projected = additive_query(query);
    return additive_scores(projected.query, keys, projected.v, projected.activation);
  }
};

const ListedScore<Additive> kListed;

}  // namespace
}  // namespace heed::attention
