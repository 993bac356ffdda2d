// SPDX-License-Identifier: Apache-2.0
// Keeping weights so that backward() reaches them, and states as they are.
#include "heed/insight/observe/kept.h"

#include "heed/autograd/ops.h"

namespace heed::insight {

// A leaf of its own gets a gradient even where no parameter needs one; being added, it receives
// what the weights receive.
Variable WeightGradients::weights(const attention::Look& look) {
  const Variable probe = Variable::leaf(Tensor::zeros(look.weights.shape()));
  entries_.push_back({look.site, look.first_head, look.first_query, look.masked, probe});
  return look.weights + probe;
}

Variable KeptStates::states(const attention::Site& site, const Variable& states) {
  entries_.push_back({site, states.value()});
  return states;
}

}  // namespace heed::insight
