// SPDX-License-Identifier: Apache-2.0
// Hard attention summed over instead of drawn from: a word is foreseen from the value of one key at
// a time, and these forecasts are mixed by the weights of the keys,
//   p(y) = sum over k of a_k p(y | v_k)
// (Wu, Shapiro & Cotterell 2018; Deng et al. 2018), where soft attention foresees it from the mean
// value. Only keys that have a weight are computed: all of softmax, two to four of entmax.
#pragma once

#include <cstdint>
#include <functional>

#include "heed/autograd/variable.h"

namespace heed::models {

// The M keys that N rows of weights look at, row by row.
struct KeySupport {
  Ids rows;     // [M]: the row that each belongs to
  Ids values;   // [M]: its place among the values of all sequences [B*K]
  Ids weights;  // [M]: among the weights [N*K]
};
// weights [N,K]; sequences [N]: whose keys a row looks at. A row without any weight looks at its
// first key, with none.
KeySupport support_of(const Tensor& weights, const Ids& sequences);

// The logarithm of the mixture [N,V]: weights [N,K], values [B,K,D]. `logits_of` gives the logits
// [M,V] of M rows and the values [M,D] that each of them is given.
Variable mixture_logits(
    const Variable& weights, const Variable& values, const Ids& sequences,
    const std::function<Variable(const Ids& rows, const Variable& values)>& logits_of);

}  // namespace heed::models
