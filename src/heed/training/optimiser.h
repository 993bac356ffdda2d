// SPDX-License-Identifier: Apache-2.0
// Optimisers: one step changes every parameter in one pass over its memory, gradient
// clipping included.
#pragma once  // public header

#include <map>
#include <string>
#include <variant>

#include "heed/kernels/optimisers.h"
#include "heed/nn/module.h"

namespace heed::training {

struct Adam {
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  double weight_decay = 0;
  bool decoupled = true;  // AdamW; false: L2, the decay added to the gradient
};
struct Sgd {
  double momentum = 0;
  double weight_decay = 0;
  bool nesterov = false;
};
struct RmsProp {
  double decay = 0.99;
  double epsilon = 1e-8;
  double momentum = 0;
  double weight_decay = 0;
  bool centred = false;
};
struct Adagrad {
  double epsilon = 1e-10;
  double weight_decay = 0;
};
using Method = std::variant<Adam, Sgd, RmsProp, Adagrad>;

struct StepOptions {
  double learning_rate = 1e-3;
  double clip_norm = 0;       // the largest global gradient norm; 0: no clipping
  double gradient_scale = 1;  // 1 / n after adding up the gradients of n batches
};

class Optimiser {
 public:
  // Shares the parameters; options out of range are a UsageError naming the method.
  Optimiser(nn::Parameters parameters, const Method& method);

  // Changes the parameters by their gradients, then clears these. A parameter without a gradient
  // stays. Returns the global norm of the scaled gradients before clipping; when it is not finite
  // nothing has changed but the gradients, which are cleared.
  double step(const StepOptions& options);

  std::int64_t steps() const { return steps_; }
  // What a checkpoint must keep besides the parameters: the running averages, named
  // "PARAMETER/mean", "PARAMETER/square", "PARAMETER/velocity", and the number of steps.
  std::map<std::string, Tensor> state() const;
  // Throws DataError when names or shapes do not fit.
  void restore(const std::map<std::string, Tensor>& state, std::int64_t steps);

 private:
  struct Slot {
    nn::Parameter parameter;
    Tensor mean{};
    Tensor square{};
    Tensor velocity{};
  };
  Method method_;
  std::vector<Slot> slots_;
  std::int64_t steps_ = 0;
};

}  // namespace heed::training
