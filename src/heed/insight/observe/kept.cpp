// SPDX-License-Identifier: Apache-2.0
// Keeping weights so that backward() reaches them, and states as they are.
#include "heed/insight/observe/kept.h"

#include "heed/autograd/ops.h"

namespace heed::insight {

// A leaf of its own gets a gradient even where no parameter needs one; being added, it receives
// what the weights receive.
Variable WeightGradients::weights(const attention::ObservedWeights& observed) {
  const Variable probe = Variable::leaf(Tensor::zeros(observed.weights.shape()));
  entries_.push_back({observed.site, observed.first_head, observed.first_query, observed.masked,
                      observed.values.value(), probe});
  return observed.weights + probe;
}

Variable KeptStates::states(const attention::Site& site, const Variable& states) {
  entries_.push_back({site, states.value()});
  return states;
}

}  // namespace heed::insight
