// SPDX-License-Identifier: Apache-2.0
// What monotonic mechanisms share: energies of stopping at a key, the chances that a scan over the
// keys stops at each, and windows behind the place where it stopped. Letters as in score.h.
#pragma once

#include <cstdint>
#include <vector>

#include "heed/attention/scores/additive_scores.h"
#include "heed/attention/whole.h"

namespace heed::attention {

// Energies e = g v / |v| . tanh(W1 k + W2 q + b) + r of Raffel et al. 2017: bounded by g, so that
// r says from the first step on how far a scan goes.
struct StoppingEnergies {
  AdditiveWeights weights;
  Variable b;  // [S] or [H,S]
  Variable g;  // [] or [H]
  Variable r;  // [] or [H]

  StoppingEnergies() = default;
  StoppingEnergies(const MechanismShape& shape, std::int64_t size, double offset, Random& random);
  void visit(nn::ParameterVisitor& visitor);
  // [B,H,Q,K]
  Variable operator()(const Variable& query, const Variable& keys) const;
};

// From energies e [B,H,Q,K] the chances that each query's scan stops at each key, p = sigmoid(e):
//   q_ij = (1 - p_i(j-1)) q_i(j-1) + a_(i-1)j,  a_ij = p_ij q_ij,
// a_0 = past [B,H,K], or the first key where that is not defined. visible [B,Q] as WholeCall has
// it; a query that sees nothing leaves the place as it was. A row that adds up to less than 1 ran
// off the end. [B,H,Q+1,K], the last row being the place for the query that comes next.
// The form with cumulative products, clipped at 1e-10, loses half of the mass at 50 keys of p = .9.
Variable monotonic_alignment(const Variable& energies, const Variable& past,
                             const std::vector<std::int64_t>& visible);

// The same where each scan stops for certain at the first key with p > 1/2, from the last place on;
// where there is none, the row is zeros and the place stays. Its gradient is 0.
Variable hard_alignment(const Variable& energies, const Variable& past,
                        const std::vector<std::int64_t>& visible);

// weights [B,H,Q,K] of stopping at each key, spread over windows of `width` keys that end there, in
// each by softmax of energies u [B,H,Q,K] (Chiu & Raffel 2018):
//   b_ij = sum over k = j .. j+w-1 of a_ik e^u_ij / sum over l = k-w+1 .. k of e^u_il
// Rows add up to what they did.
Variable chunkwise(const Variable& weights, const Variable& energies, std::int64_t width,
                   const std::vector<std::int64_t>& visible);

// Both of the above taken apart.
WholeWeighed weighed_of(const Variable& alignment);

// Energies with N(0, deviation) added where there is noise: it drives p towards 0 or 1, so that
// training is for what a hard scan will do.
Variable with_stopping_noise(const Variable& energies, double deviation, Random* noise);

}  // namespace heed::attention
