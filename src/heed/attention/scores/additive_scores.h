// SPDX-License-Identifier: Apache-2.0
// What the additive family of scores shares: v . activation(query + key) over projected rows.
// Letters as in score.h, S the size inside the activation.
#pragma once

#include <string>

#include "heed/attention/compose/head_weights.h"
#include "heed/attention/score.h"
#include "heed/autograd/ops.h"

namespace heed::attention {

// Sizes of axes as the kernels take them.
inline std::size_t as_size(std::int64_t n) {
  return static_cast<std::size_t>(n);
}

// query [B,H,Q,S], keys [B,G,K,S], v [S] or [H,S] -> scores [B,H,Q,K]. Never makes [B,H,Q,K,S]; a
// pair whose score has gradient 0 takes no part in backward.
Variable additive_scores(const Variable& query, const Variable& keys, const Variable& v,
                         Activation activation);

// keys [B,G,K,S] + features [B,H,K,S] -> [B,H,K,S]: what each head knows of a key besides the key.
Variable with_features(const Variable& keys, const Variable& features);

// The option `activation` of the family.
enum class AdditiveActivation { tanh, relu, sigmoid, gelu, swish };
void declare_activation(Options& options, AdditiveActivation& bend);
Activation activation_of(AdditiveActivation bend);

// v, W1 and W2 of the additive family.
struct AdditiveWeights {
  Variable v;   // [S] or [H,S]
  Variable W1;  // [S,Dk] or [G,S,Dk]: projects keys
  Variable W2;  // [S,Dq] or [H,S,Dq]: projects queries

  AdditiveWeights() = default;
  AdditiveWeights(const ScoreShape& shape, std::int64_t size, Random& random);
  void visit(nn::ParameterVisitor& visitor);
};

// UsageError naming the part unless the query is one step: these scores look back.
void check_one_query(const Variable& query, const std::string& part);

}  // namespace heed::attention
