// SPDX-License-Identifier: Apache-2.0
// alignment_rnn: the additive score that remembers each key's past weights with a recurrent
// network.
#include "heed/attention/scores/additive_scores.h"
#include "heed/nn/initialisers.h"
#include "heed/nn/recurrent.h"

namespace heed::attention {
namespace {

struct AlignmentRnn {
  static constexpr bool kLooksBack = true;

  std::int64_t size = 128;
  std::int64_t hidden = 8;
  AdditiveWeights weights;
  Variable U;               // [size,hidden] or [H,size,hidden]
  nn::RecurrentLayer cell;  // a GRU of one input, shared by keys and heads

  static Card card() {
    return {.name = "alignment_rnn",
            .summary =
                "The additive score that remembers each key's past weights with a small "
                "recurrent network.",
            .formula = "vᵀ tanh(W₁k_j + W₂q + U h_j), h_j ← GRU(key j's weight, h_j), at first 0",
            .source = "Tu et al. 2016 (neural coverage)",
            .examples = {"size=3, hidden=2"}};
  }
  void declare(Options& options) {
    options.add("size", size, "units of the hidden layer").range(1, 65536);
    options.add("hidden", hidden, "units of the recurrent network").range(1, 4096);
  }
  void build(const ScoreShape& shape, Random& random) {
    weights = AdditiveWeights(shape, size, random);
    U = head_parameter(shape.heads, [&] { return nn::glorot_uniform({size, hidden}, random); });
    cell = nn::RecurrentLayer(nn::Cell::gru, 1, hidden, random);
  }
  void visit(nn::ParameterVisitor& visitor) {
    weights.visit(visitor);
    visitor("U", U);
    visitor("cell", cell);
  }
  Variable project(const Variable& keys) const { return project_heads(keys, weights.W1); }
  Variable score(const Variable& query, const Variable& keys, const ScoreCall& call) const {
    check_one_query(query, "alignment_rnn");
    Variable seen = keys;
    if (call.hidden.defined()) seen = with_features(keys, project_heads(call.hidden, U));
    return additive_scores(project_heads(query, weights.W2), seen, weights.v, Activation::tanh);
  }
  // One step of the network for every key of every head: B*H*K sequences of one input.
  Variable remember(const Variable& states, const Variable& past) const {
    const std::int64_t rows = past.value().size();
    RecurrentState before;
    if (states.defined()) before.h = reshape(states, {rows, hidden});
    const RecurrentResult after =
        recurrent(nn::Cell::gru, reshape(past, {1, rows, 1}),
                  {cell.w_x, cell.w_h, cell.bias, cell.candidate_bias}, before);
    return reshape(after.final.h, past.shape().then(hidden));
  }
};

const ListedScore<AlignmentRnn> kListed;

}  // namespace
}  // namespace heed::attention
