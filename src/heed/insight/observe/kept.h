// SPDX-License-Identifier: Apache-2.0
// Observers that change nothing and keep what they see: weights with their gradients, and hidden
// states.
#pragma once  // public header

#include <vector>

#include "heed/attention/observer.h"

#pragma GCC visibility push(default)  // exported

namespace heed::insight {

// Weights whose gradients backward() fills in: how much each would change the loss.
//
//   WeightGradients watched;
//   backward(loss_of(model(input, {.watch = &watched})));
//   watched.entries()[0].gradient();  // [B,H',Q,K]
class WeightGradients final : public attention::Observer {
 public:
  struct Entry {
    attention::Site site;
    std::int64_t first_head = 0;
    std::int64_t first_query = 0;
    Tensor weights;  // [B,H',Q,K], kMasked for hidden keys
    Tensor values;   // [B,G',K,Dv], what was read with them
    Variable probe;  // zeros that were added to the weights: its gradient is theirs

    const Tensor& gradient() const { return probe.gradient(); }
  };
  Variable weights(const attention::ObservedWeights& observed) override;
  const std::vector<Entry>& entries() const { return entries_; }

 private:
  std::vector<Entry> entries_;
};

// The hidden states of every layer, for probes. Fused kernels run as ever.
class KeptStates final : public attention::Observer {
 public:
  struct Entry {
    attention::Site site;
    Tensor states;  // [B,T,D]
  };
  bool wants_weights(const attention::Site&) const override { return false; }
  bool wants_states() const override { return true; }
  Variable states(const attention::Site& site, const Variable& states) override;
  const std::vector<Entry>& entries() const { return entries_; }

 private:
  std::vector<Entry> entries_;
};

}  // namespace heed::insight

#pragma GCC visibility pop
