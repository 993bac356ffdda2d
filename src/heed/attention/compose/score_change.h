// SPDX-License-Identifier: Apache-2.0
// A change of scores that works tile by tile, with its derivative: what biases give to the fused
// kernels, and how a user brings one of their own as a C++ callable.
//
//   const TileChange gentler = score_change(
//       [](const ScoreTile& tile) { /* tile.row(r)[c] = ... */ },
//       [](const ScoreTileBefore& before, Real* gradient) {
//         /* gradient[r * before.stride + c] *= ... */
//       });
//   mechanism.attend(query, memory, {}, {.changes = {gentler}});
#pragma once  // public header

#include <functional>
#include <memory>
#include <vector>

#include "heed/autograd/variable.h"
#include "heed/kernels/attention/attention.h"

#pragma GCC visibility push(default)  // exported

namespace heed::attention {

using ScoreTile = kernels::ScoreTile<Real>;
using ScoreTileBefore = kernels::ScoreTile<const Real>;
using ScoreChange = kernels::ScoreChange<Real>;

// Each changed score depends on the score in its own place and on the parameters alone.
struct TileChange {
  std::shared_ptr<const ScoreChange> change;
  // What the change adds gradients up for: as many elements as change->parameter_count(); not
  // defined: nothing.
  Variable parameters{};
};

// `value` changes the scores of a tile in place; `derivative` turns the gradient of the changed
// scores, laid out as the tile, into that of `before`. Both are called once per tile, from several
// threads at once. A tile says which queries and keys of the call it holds. What they throw reaches
// the caller of attend or of backward.
TileChange score_change(std::function<void(const ScoreTile&)> value,
                        std::function<void(const ScoreTileBefore&, Real* gradient)> derivative);

// The same on scores [B,H,Q,K] as a recorded op. A score whose gradient is 0 may be that of a
// masked key: whatever is there, its gradient stays 0.
Variable apply(const TileChange& change, const Variable& scores);

}  // namespace heed::attention

#pragma GCC visibility pop
