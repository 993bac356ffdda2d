// SPDX-License-Identifier: Apache-2.0
// A mixture of distributions: several rows of logits foresee one thing, each with a share.
#pragma once

#include <cstdint>

#include "heed/autograd/variable.h"

#pragma GCC visibility push(default)  // libheed calls it

namespace heed {

// The logarithm of what rows foresee together,
//   y_n = log(sum over the rows m of n of share_m softmax(logits_m)),
// logits [M,V], shares [M], rows [M]: the result that each belongs to, ascending from 0 without a
// gap -> [N,V]. As many rows as each result needs: none is filled up to the longest.
Variable log_mixture(const Variable& logits, const Variable& shares, const Ids& rows);

}  // namespace heed

#pragma GCC visibility pop
