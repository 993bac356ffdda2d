// SPDX-License-Identifier: Apache-2.0
// The two products of attention, query by keys and weights by values, in which a masked key is
// absent: what is in it, NaN or infinity, reaches no result. Letters as in score.h.
#pragma once  // public header

#include "heed/autograd/variable.h"

#pragma GCC visibility push(default)  // exported

namespace heed::attention {

// query [B,H,Q,D], keys [B,G,K,D] -> q . k [B,H,Q,K]. Each group of H/G query heads reads its key
// head once. In backward a key whose score has gradient 0 takes no part, so a NaN in a masked key
// goes nowhere.
Variable dot_products(const Variable& query, const Variable& keys);

// weights [B,H,Q,K], values [B,G,K,D] -> sum of weight x value [B,H,Q,D]. A value of weight 0 takes
// no part.
Variable combine(const Variable& weights, const Variable& values);

// a b where an exact 0 in a is absent: 0 x NaN = 0. A plain product while b is finite.
Tensor product_without_zeros(const Tensor& a, const Tensor& b);

}  // namespace heed::attention

#pragma GCC visibility pop
