// SPDX-License-Identifier: Apache-2.0
// Normalisers as plain functions on tensors, over the last axis, with gradients, and the
// Fenchel-Young losses that belong to them.
#pragma once  // public header

#include "heed/attention/normaliser.h"
#include "heed/autograd/variable.h"

#pragma GCC visibility push(default)  // exported

namespace heed::attention {

// What some normalisers take besides scores.
struct NormaliseInputs {
  Variable parameters = {};  // [P], one head's of Normaliser::parameters(); not defined: the first
  Variable bounds = {};      // as scores: upper bounds of the weights; not defined: none given
  RowRandom random = {};     // row r of the call draws from random.row + r
};

// scores [...,K] -> weights [...,K], every key allowed; a matrix normaliser takes [...,Q,K]. Throws
// UsageError naming the part for options or bounds that cannot work.
Variable normalise(const Normaliser& normaliser, const Variable& scores,
                   const NormaliseInputs& inputs = {});

// The two sparse ones by name; alpha from 1.
Variable sparsemax(const Variable& scores);
Variable entmax(const Variable& scores, double alpha = 1.5);

// Where the tables of a batch end, one entry for each [Q,K] of scores [...,Q,K]; not defined: at
// the last query, at the last key.
struct TableLengths {
  Ids queries = {};
  Ids keys = {};
};

// max_Omega(scores) + Omega(target) - <scores, target> of each row: scores [...,K], target [...,K],
// distributions -> losses [...]. Never negative, 0 where the weights are the target; the gradient
// is weights - target. With softmax this is the cross-entropy less the target's entropy. Blondel,
// Martins & Niculae 2020, "Learning with Fenchel-Young losses".
// Of a matrix normaliser, scores [...,Q,K] and target [...,Q,K] -> losses [...]: where the target
// is one structure, such as a gold tree or alignment, minus the logarithm of its probability.
// Throws UsageError for a normaliser without a regulariser and for targets that it never gives.
Variable fenchel_young_loss(const Normaliser& normaliser, const Variable& scores,
                            const Tensor& target, const TableLengths& lengths = {});

// The key that each query chooses, such as the head of each word, as weights: keys [...,Q], -1 for
// none -> [...,Q,K].
Tensor chosen_weights(const Ids& keys, std::int64_t count);

}  // namespace heed::attention

#pragma GCC visibility pop
