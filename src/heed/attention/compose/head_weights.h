// SPDX-License-Identifier: Apache-2.0
// Parameters with one set per head, and the projection by them. With one head the axis of heads is
// left out, so that a mechanism of one head has the shapes of its paper.
#pragma once  // public header

#include <functional>

#include "heed/autograd/variable.h"

#pragma GCC visibility push(default)  // exported

namespace heed::attention {

// A parameter of what `make` gives for each head in turn: its shape for one head, [heads, ...] for
// several.
Variable head_parameter(std::int64_t heads, const std::function<Tensor()>& make);

// x [B,H,S,D], w [out,D] or [H,out,D] -> w x [B,H,S,out]. In backward a row of x whose projection
// has gradient 0 takes no part, so that a NaN in a masked key stays out of the gradient of w.
Variable project_heads(const Variable& x, const Variable& w);

// `count` heads of x [B,H,...] from the `first` on.
Variable heads_of(const Variable& x, std::int64_t first, std::int64_t count);

// A parameter [...] or [H,...] as [H,1,...], to be combined with [B,H,S,...]; [1,1,...] for one
// head.
Variable along_heads(const Variable& parameter, int rank_per_head);

}  // namespace heed::attention

#pragma GCC visibility pop
