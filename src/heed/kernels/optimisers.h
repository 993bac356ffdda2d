// SPDX-License-Identifier: Apache-2.0
// Optimiser steps, each one pass over memory: parameters and state are read and written once, the
// gradient is read once.
#pragma once

#include <cstddef>
#include <cstdint>

#include "heed/base/exported.h"

namespace heed::kernels {

// What a step works on. The gradient enters as gradient * gradient_scale: clipping by global norm
// and averaging over accumulated batches cost no pass of their own.
template <typename T>
struct ParameterUpdate {
  T* parameters = nullptr;
  const T* gradient = nullptr;
  std::size_t count = 0;
  double gradient_scale = 1;
  double learning_rate = 0;
};

// The gradient_scale that brings a gradient of this norm down to `limit` and leaves a smaller one
// alone. A norm that is not finite is passed on as it is: the caller decides whether to skip the
// step.
inline double clip_scale(double norm, double limit) noexcept {
  return norm > limit ? limit / norm : 1.0;
}

// m = beta1 m + (1 - beta1) g, v = beta2 v + (1 - beta2) g^2,
// p -= rate (m / (1 - beta1^step)) / (sqrt(v / (1 - beta2^step)) + epsilon)   (Kingma 2015).
// Weight decay: decoupled, p *= 1 - rate * weight_decay (AdamW, Loshchilov 2019), or
// g += weight_decay * p.
struct AdamOptions {
  std::int64_t step = 1;  // counts from 1
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  double weight_decay = 0;
  bool decoupled = true;
};
template <typename T>
struct AdamState {
  T* mean = nullptr;    // m [count]
  T* square = nullptr;  // v [count]
};
template <typename T>
HEED_EXPORTED void adam(const ParameterUpdate<T>& update, const AdamState<T>& state,
                        const AdamOptions& options) noexcept;

// g += weight_decay p, u = momentum u + g, p -= rate u; nesterov: p -= rate (g + momentum u).
// A null velocity means no momentum.
struct SgdOptions {
  double momentum = 0;
  double weight_decay = 0;
  bool nesterov = false;
};
template <typename T>
HEED_EXPORTED void sgd(const ParameterUpdate<T>& update, T* velocity,
                       const SgdOptions& options) noexcept;

// g += weight_decay p, v = decay v + (1 - decay) g^2, s = g / (sqrt(v) + epsilon), p -= rate s.
// With a mean (centred): m = decay m + (1 - decay) g, and v - m^2 stands for v in s.
// With a velocity: u = momentum u + s, p -= rate u.
struct RmspropOptions {
  double decay = 0.99;
  double epsilon = 1e-8;
  double momentum = 0;
  double weight_decay = 0;
};
template <typename T>
struct RmspropState {
  T* square = nullptr;    // v [count]
  T* mean = nullptr;      // m [count], or null: not centred
  T* velocity = nullptr;  // u [count], or null: no momentum
};
template <typename T>
HEED_EXPORTED void rmsprop(const ParameterUpdate<T>& update, const RmspropState<T>& state,
                           const RmspropOptions& options) noexcept;

// g += weight_decay p, v += g^2, p -= rate g / (sqrt(v) + epsilon)   (Duchi 2011).
struct AdagradOptions {
  double epsilon = 1e-10;
  double weight_decay = 0;
};
template <typename T>
HEED_EXPORTED void adagrad(const ParameterUpdate<T>& update, T* square,
                           const AdagradOptions& options) noexcept;

// g += weight_decay p, v = decay v + (1 - decay) g^2, s = g sqrt(u + epsilon) / sqrt(v + epsilon),
// u = decay u + (1 - decay) s^2, p -= rate s   (Zeiler 2012, whose rate is 1).
struct AdadeltaOptions {
  double decay = 0.9;
  double epsilon = 1e-6;
  double weight_decay = 0;
};
template <typename T>
struct AdadeltaState {
  T* square = nullptr;  // v [count], of gradients
  T* change = nullptr;  // u [count], of squared changes
};
template <typename T>
HEED_EXPORTED void adadelta(const ParameterUpdate<T>& update, const AdadeltaState<T>& state,
                            const AdadeltaOptions& options) noexcept;

}  // namespace heed::kernels
