// SPDX-License-Identifier: Apache-2.0
// Dropout as a part of models: active exactly where the caller hands over random numbers.
#pragma once  // public header

#include "heed/autograd/ops.h"
#include "heed/base/random.h"
#include "heed/nn/module.h"

#pragma GCC visibility push(default)  // exported

namespace heed::nn {

// Where noise comes from during training; nullptr at inference. Passed down explicitly, so that no
// module remembers a mode and a saved random state replays the same masks.
using Noise = Random*;

struct Dropout {
  Real probability = 0;

  Variable operator()(const Variable& x, Noise noise) const;
  // One mask for all steps of x [T, ...] (Gal 2016).
  Variable locked(const Variable& x, Noise noise) const;
  void visit(ParameterVisitor&) {}
};

}  // namespace heed::nn

#pragma GCC visibility pop
