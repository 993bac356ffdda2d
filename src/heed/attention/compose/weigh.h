// SPDX-License-Identifier: Apache-2.0
// Scores on the pattern's keys into weights: the middle step of every factored mechanism.
#pragma once

#include <memory>

#include "heed/attention/normaliser.h"
#include "heed/attention/pattern.h"
#include "heed/autograd/variable.h"

namespace heed::attention {

struct WeighInputs {
  Variable scores;        // [B,H,Q,K]
  Variable parameters{};  // [H,P] as Normaliser::parameters()
  Variable bounds{};      // [B,H,Q,K], upper bounds of the weights; not defined: none given
  RowRandom random{};     // of the first row; row r of the call draws from random.row + r
};

struct Weighed {
  Variable weights;  // [B,H,Q,K], exactly 0 on masked keys and in rows without an allowed key
  Variable log_probability;  // [B,H,Q], of the draw; not defined unless the normaliser draws
  Variable entropy;          // [B,H,Q], of what was drawn from; likewise
};

// The scores of masked keys are never read: they may be NaN. Without a pattern every key is
// allowed; where it turns out to allow every key, the part's kernel for whole matrices is used.
// UsageError naming the part for options or bounds that cannot work.
Weighed weigh(const Normaliser& normaliser, std::shared_ptr<const BoundPattern> pattern,
              const WeighInputs& inputs);

// The weights that the fused kernels of softmax are equal to.
Variable softmax_weights(const Variable& scores, std::shared_ptr<const BoundPattern> pattern);

// weights [B,H,Q,K] with kMasked where the pattern hides a key. DataError for an allowed key whose
// weight is NaN: it would pass for a hidden one.
Tensor masked_weights(const BoundPattern& pattern, const Tensor& weights);

// log sum exp of the allowed scores [B,H,Q,K] -> [B,H,Q]; -inf for a row without an allowed key.
Tensor log_sum_exp(const BoundPattern& pattern, const Tensor& scores);

}  // namespace heed::attention
