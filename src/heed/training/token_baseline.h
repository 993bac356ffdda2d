// SPDX-License-Identifier: Apache-2.0
// The learned baseline of DrawnLoss: what the tokens of a sequence let expect of its loss, per
// unit.
//
//   b = c + 1/sqrt(n) sum over its n tokens of w_token
//
// It is linear, so that normalised least mean squares learns it beside the model, with no optimiser
// of its own: w += rate (l - b) x / |x|^2. Tokens are known before anything is drawn, whatever the
// model is: a summary of its states would bias the draws of the encoder that made them.
#pragma once

#include "heed/models/sequences.h"

namespace heed::training {

// weights [V+1], c first, or not defined: nothing is known -> [B]. Tokens beyond them count 0.
Tensor expected_by_tokens(const Tensor& weights, const models::Sequences& input);

// The weights after these losses per unit [B]; as many as the tokens ask for.
Tensor taught_by_tokens(const Tensor& weights, const models::Sequences& input,
                        const Tensor& losses);

}  // namespace heed::training
