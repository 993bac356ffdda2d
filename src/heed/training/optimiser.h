// SPDX-License-Identifier: Apache-2.0
// Optimisers: one step changes every parameter in one pass over its memory, gradient
// clipping included.
#pragma once  // public header

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "heed/nn/module.h"

#pragma GCC visibility push(default)  // exported

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
struct Adadelta {  // meant for a learning rate of 1
  double decay = 0.9;
  double epsilon = 1e-6;
  double weight_decay = 0;
};
using Method = std::variant<Adam, Sgd, RmsProp, Adagrad, Adadelta>;

// Parameters that are changed in another way than the rest.
struct ParameterGroup {
  std::function<bool(const nn::Parameter& parameter)> members;
  double rate = 1;                          // times the learning rate of the step
  std::optional<double> weight_decay = {};  // in the place of the method's own
};

// Biases and the gains of norms, which is all of one axis or none, without weight decay.
ParameterGroup undecayed_vectors();

struct StepOptions {
  double learning_rate = 1e-3;
  double clip_norm = 0;       // the largest global gradient norm; 0: no clipping
  double clip_each = 0;       // the largest norm of one parameter's gradient; 0: no clipping
  double gradient_scale = 1;  // 1 / n after adding up the gradients of n batches
};

// The norm of all gradients together; those that have not arrived count as 0.
double gradient_norm(const nn::Parameters& parameters);
// Scales them down, all by one factor, to this norm where theirs is larger. Returns what it was; a
// norm that is not finite leaves them as they are. Optimiser::step() does it by itself, and without
// a pass of its own, where it is given clip_norm.
double clip_gradient_norm(const nn::Parameters& parameters, double limit);

class Optimiser {
 public:
  // Shares the parameters; options out of range are a UsageError naming the method. A parameter
  // belongs to the first group that has it for a member, if any.
  Optimiser(nn::Parameters parameters, const Method& method,
            const std::vector<ParameterGroup>& groups = {});

  // Changes the parameters by their gradients, then clears these. A parameter without a gradient
  // stays. Returns the global norm of the scaled gradients before clipping; when it is not finite
  // nothing has changed but the gradients, which are cleared.
  double step(const StepOptions& options);

  std::int64_t steps() const { return steps_; }
  // What a checkpoint must keep besides the parameters: the running averages, named
  // "PARAMETER/mean", "PARAMETER/square", "PARAMETER/velocity", "PARAMETER/change", and the number
  // of steps.
  std::map<std::string, Tensor> state() const;
  // Throws DataError when names or shapes do not fit.
  void restore(const std::map<std::string, Tensor>& state, std::int64_t steps);

 private:
  struct Slot {
    nn::Parameter parameter;
    double rate = 1;
    double weight_decay = 0;
    double squared_norm = 0;  // of its gradient, in this step
    Tensor mean{};
    Tensor square{};
    Tensor velocity{};
    Tensor change{};
  };
  void update(Slot& slot, const Tensor& gradient, double scale, double learning_rate);

  Method method_;
  std::vector<Slot> slots_;
  std::int64_t steps_ = 0;
};

}  // namespace heed::training

#pragma GCC visibility pop
